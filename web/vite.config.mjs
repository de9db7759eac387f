import { defineConfig } from 'vite';

const service = process.env.RIDGERUNNER_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: './', // relative, so that a reverse proxy may serve it under any prefix
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' },
  build: {
    target: 'es2021',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rollupOptions: {
      // Stable names: the output is committed and embedded in the program.
      output: {
        entryFileNames: 'assets/app.js',
        assetFileNames: 'assets/app[extname]',
        inlineDynamicImports: true,
      },
    },
  },
  server: {
    proxy: Object.fromEntries(['/v1', '/readyz', '/healthz'].map((path) => [path, service])),
  },
});

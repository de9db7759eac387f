// Runs the tests: node tests/run.mjs [unit] [browser]     (default: both)
// With RIDGERUNNER_URL set, the browser tests that make sense there run against that service instead of the mock one.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const wanted = process.argv.slice(2);
const all = wanted.length === 0;

function run(files) {
  const { status } = spawnSync(process.execPath, ['--test', '--test-reporter=spec', ...files], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

function testsIn(folder) {
  return readdirSync(join(here, folder)).filter((name) => name.endsWith('.test.mjs')).sort().map((name) => join(here, folder, name));
}

if (all || wanted.includes('unit')) {
  const folder = mkdtempSync(join(tmpdir(), 'ridgerunner-web-'));
  try {
    await build({ entryPoints: testsIn('unit'), outdir: folder, outExtension: { '.js': '.mjs' }, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' });
    run(readdirSync(folder).map((name) => join(folder, name)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
if (all || wanted.includes('browser')) {
  // One after the other: they share the machine with a browser each.
  for (const file of testsIn('browser')) {
    if (!process.env.RIDGERUNNER_URL || file.endsWith('service.test.mjs')) run([file]);
  }
}

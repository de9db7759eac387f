import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

const css = readFileSync('src/style/base.css', 'utf8');
const themes = [...css.matchAll(/:root[^{]*\{([^}]*)\}/g)].slice(0, 2).map(([, body]) =>
  Object.fromEntries([...body.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value])),
);

function luminance(hex) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a, b) {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

test('Text has a contrast of at least 4.5 in both themes', () => {
  for (const theme of themes) {
    const pairs = [['ink', 'card'], ['ink-soft', 'card'], ['ink-quiet', 'card'], ['ink-quiet', 'page'], ['accent', 'card'],
      ['accent', 'page'], ['ink', 'accent-soft'], ['ink-quiet', 'accent-soft'], ['accent', 'accent-soft'], ['warn-ink', 'warn-page']];
    for (const [ink, paper] of pairs) {
      const value = contrast(theme[ink], theme[paper]);
      assert.ok(value >= 4.5, `${ink} ${theme[ink]} on ${paper} ${theme[paper]}: ${value.toFixed(2)}`);
    }
  }
});

test('Lines and signs have a contrast of at least 3 in both themes', () => {
  for (const theme of themes) {
    for (const line of ['blue', 'orange', 'green']) {
      assert.ok(contrast(theme[line], theme.card) >= 3, line);
    }
  }
});

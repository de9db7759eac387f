// A browser, and pages that watch themselves: no errors on the console, nothing asked of any other origin.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';

export const desk = { viewport: { width: 1280, height: 900 } };
export const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
export const patience = 15_000;

export async function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

// Runs `body` on a fresh page. `excused` matches console errors that the test itself brings about.
export async function onPage(browser, { url, options = desk, token = null, excused = null }, body) {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    const errors = [];
    const strangers = [];
    page.on('pageerror', (error) => errors.push(error.stack ?? String(error)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !excused?.test(message.text())) errors.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(new URL(url).origin)) strangers.push(request.url());
    });
    page.on('dialog', (dialog) => {
      errors.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    if (token) await page.addInitScript((value) => sessionStorage.setItem('ridgerunner.token', value), token);
    await page.goto(url);
    await body(page);
    assert.deepEqual(errors, []);
    assert.deepEqual(strangers, []);
  } finally {
    await context.close();
  }
}

// Waits until `read` gives something `good`, and fails with the last it gave.
export async function eventually(read, good, what) {
  const end = Date.now() + patience;
  let last;
  do {
    last = await read();
    if (good(last)) return last;
    await new Promise((resolve) => setTimeout(resolve, 50));
  } while (Date.now() < end);
  return assert.fail(`${what}, got ${JSON.stringify(last)}`);
}

export async function figure(page, name) {
  return page.locator('.figure-tile', { has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) }).locator('.figure-value').innerText();
}

export async function sidewaysRoom(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

// With RIDGERUNNER_SHOTS=folder, pictures for people to look at.
export async function picture(page, name) {
  const folder = process.env.RIDGERUNNER_SHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

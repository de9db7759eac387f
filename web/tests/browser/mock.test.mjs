// What needs a service that can be told to fail.

import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { MockServer } from '../mock_server.mjs';
import { desk, eventually, figure, launch, onPage, phone, picture } from './harness.mjs';

const name = 'checkout-discounts';
const lost = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_SOCKET_NOT_CONNECTED/;
const refusedToken = /401|403/;
let browser;

before(async () => {
  browser = await launch();
});

after(async () => {
  await browser?.close();
});

async function withServer(options, body) {
  const server = await new MockServer({ liveEvery: 200, ...options }).start();
  try {
    await body(server);
  } finally {
    await server.stop();
  }
}

const watch = (server, options, body) => onPage(browser, { url: `${server.url}#/experiments/${name}`, ...options }, body);

test('Without experiments, the page shows the command that creates one', async () => {
  await withServer({ simulate: false }, (server) =>
    onPage(browser, { url: server.url }, async (page) => {
      await page.getByRole('heading', { name: 'No experiments yet' }).waitFor();
      const command = await page.locator('.command pre').innerText();
      assert.ok(command.startsWith(`curl -X POST ${server.url}v1/experiments`), command);
      await picture(page, 'empty');
      const body = /-d '(.*)'$/.exec(command)[1];
      await fetch(`${server.url}v1/experiments`, { method: 'POST', body });
      await page.getByRole('link', { name: 'first', exact: true }).click();
      await page.getByRole('heading', { name: 'No decisions yet' }).waitFor();
      await picture(page, 'untouched');
    }),
  );
});

test('A token is asked for, refused if wrong, and kept for the tab', async () => {
  await withServer({ token: 'right' }, (server) =>
    watch(server, { excused: refusedToken }, async (page) => {
      const dialog = page.getByRole('dialog', { name: 'A token is needed' });
      const field = page.getByLabel('Token', { exact: true });
      await dialog.waitFor();
      assert.ok(await field.evaluate((input) => input === document.activeElement));
      await picture(page, 'token');
      for (const [wrong, answer] of [['wrong', 'the token is not known'], ['only-decides', 'needed is read']]) {
        await field.fill(wrong);
        await page.getByRole('button', { name: 'Continue' }).click();
        await dialog.getByRole('alert').filter({ hasText: answer }).waitFor();
      }
      await page.keyboard.press('Escape');
      assert.ok(await dialog.isVisible());
      await field.fill('right');
      await field.press('Enter');
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await page.reload();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      assert.equal(await dialog.count(), 0);
      await page.getByRole('button', { name: 'Forget token' }).click();
      await dialog.waitFor();
    }),
  );
});

test('When the service goes away and returns, the page says so and catches up', async () => {
  await withServer({}, (server) =>
    watch(server, { excused: lost }, async (page) => {
      await page.locator('.posterior .plot').waitFor();
      await page.getByText('live', { exact: true }).waitFor();
      const main = page.locator('main');
      const height = await main.evaluate((element) => element.offsetHeight);
      await server.stop();
      await page.getByText('Connection lost.').waitFor();
      assert.equal(await main.evaluate((element) => element.offsetHeight), height, 'the banner moves nothing');
      await picture(page, 'lost');
      const earlier = Number((await figure(page, 'Decisions')).replace(',', ''));
      await server.start();
      await page.getByRole('button', { name: 'Try now' }).click();
      await page.getByText('Connection lost.').waitFor({ state: 'detached' });
      await eventually(() => figure(page, 'Decisions'), (text) => Number(text.replace(',', '')) > earlier, 'more decisions');
    }),
  );
});

test('It reconnects without being asked, in the list as well', async () => {
  await withServer({}, (server) =>
    onPage(browser, { url: server.url, excused: lost }, async (page) => {
      await page.getByRole('link', { name }).waitFor();
      await server.stop();
      await page.getByText('Connection lost.').waitFor();
      await server.start();
      await page.getByText('Connection lost.').waitFor({ state: 'detached' });
    }),
  );
});

test('Read-only and degraded are said plainly', async () => {
  await withServer({}, async (server) => {
    server.readOnly = 'writing the log failed: no space left on device';
    const degraded = { skipped: 1, seq: 77, message: 'pivot 3 must be > 0, got -1e-17 <b>' };
    server.experiments.get(name).degraded = degraded;
    await watch(server, { excused: /503/ }, async (page) => {
      await page.getByRole('alert').filter({ hasText: 'read-only' }).filter({ hasText: 'no space left on device' }).waitFor();
      await page.getByRole('alert').filter({ hasText: 'one event was left out of the model, the first at 77' }).filter({ hasText: '<b>' }).waitFor();
      await picture(page, 'degraded');
      server.readOnly = null;
      await page.getByRole('alert').filter({ hasText: 'read-only' }).waitFor({ state: 'detached' });
    });
  });
});

test('Live updates move nothing on the page', async () => {
  const boxes = (page) =>
    page.evaluate(() =>
      [...document.querySelectorAll('.card, .figure-tile, .banner, .decisions tbody tr, .section-head')].map((element) => {
        const { x, y, width } = element.getBoundingClientRect();
        return [x, y, width].map(Math.round).join(' ');
      }),
    );
  await withServer({}, async (server) => {
    for (const options of [desk, phone]) {
      await watch(server, { options }, async (page) => {
        await page.locator('.posterior .plot').waitFor();
        await page.locator('.intervals').waitFor();
        const settled = await boxes(page);
        const earlier = await figure(page, 'Decisions');
        await eventually(() => figure(page, 'Decisions'), (text) => Number(text.replace(',', '')) > Number(earlier.replace(',', '')) + 8, 'news');
        assert.deepEqual(await boxes(page), settled);
      });
    }
  });
});

test('Rows stand still while they are read, and resume', async () => {
  await withServer({}, (server) =>
    watch(server, {}, async (page) => {
      const first = () => page.locator('.decisions tbody tr').first().locator('button').innerText();
      await page.locator('.decisions tbody tr').nth(3).click();
      const held = await first();
      await page.getByText(/(is|are) newer/).waitFor();
      assert.equal(await first(), held);
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.mouse.move(5, 5);
      await eventually(first, (id) => id !== held, 'newer rows');
    }),
  );
});

test('It works under a prefix', async () => {
  await withServer({}, async (server) => {
    server.prefix = '/tools/ridgerunner';
    await watch(server, {}, async (page) => {
      await page.locator('.posterior .plot').waitFor();
      await page.locator('.intervals').waitFor();
    });
  });
});

test('A page asks for little: one stream, and a bounded rate of questions', async () => {
  await withServer({}, (server) =>
    watch(server, {}, async (page) => {
      await page.locator('.posterior .plot').waitFor();
      await page.waitForTimeout(1000);
      server.requests.length = 0;
      await page.waitForTimeout(6000);
      assert.ok(server.requests.every(({ path }) => !path.endsWith('/live')));
      assert.ok(server.requests.length <= 20, `${server.requests.length} requests in 6 s`);
    }),
  );
});

test('Charts can be read over decisions as well as over time', async () => {
  await withServer({}, (server) =>
    watch(server, { options: { ...desk, reducedMotion: 'reduce' } }, async (page) => {
      await page.locator('.posterior .plot').waitFor();
      await page.getByLabel('by decisions').check();
      await eventually(
        () => page.locator('.plot').first().getAttribute('aria-label'),
        (label) => /over 2,\d{3} decisions/.test(label),
        'words about decisions',
      );
      const moving = await page.evaluate(() => document.getAnimations().length);
      assert.equal(moving, 0);
    }),
  );
});

// What the dashboard must do on any service: the mock one, or the one at RIDGERUNNER_URL (RIDGERUNNER_TOKEN: an admin's token).

import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { MockServer } from '../mock_server.mjs';
import { desk, eventually, figure, launch, onPage, phone, picture, sidewaysRoom } from './harness.mjs';

const hostile = '<img src=x onerror=alert(1)>';
const name = `browser-${process.pid}-${Date.now() % 100000}`;
const token = process.env.RIDGERUNNER_TOKEN ?? null;
let url = process.env.RIDGERUNNER_URL?.replace(/\/?$/, '/');
let mock = null;
let browser;

async function post(path, body) {
  const headers = { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(`${url}v1/experiments${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.ok(response.ok, `${path}: ${response.status} ${await response.clone().text()}`);
  return response.json();
}

// One round: a decision, and its reward if there is to be one.
async function round(number, { id, rewarded = true, actions } = {}) {
  const context = [(number % 7) / 7];
  const candidates = actions ?? Array.from({ length: 12 }, (_, index) => ({ id: `dose-${index}`, features: [index / 11] }));
  const decision = await post(`/${name}/decide`, { ...(id ? { event_id: id } : {}), context, actions: candidates });
  const place = candidates[decision.index].features[0];
  if (rewarded) await post(`/${name}/reward`, { event_id: decision.event_id, reward: Math.exp(-((place - 0.6) ** 2) / 0.1) + 0.05 * Math.sin(number * 12.9) });
  return decision;
}

const visit = (options, body) => onPage(browser, { url, token, ...options }, body);
const experiment = () => `${url}#/experiments/${name}`;

before(async () => {
  if (!url) {
    mock = await new MockServer({ simulate: false, liveEvery: 300 }).start();
    url = mock.url;
  }
  browser = await launch();
  await post('', { name, spec: { policy: 'k-ucb', bound: { type: 'fixed', radius: 1 } }, description: `Doses ${hostile}` });
  for (let number = 0; number < 40; number++) await round(number, { rewarded: number % 10 !== 9 });
});

after(async () => {
  await browser?.close();
  await mock?.stop();
});

test('The list shows an experiment with its figures and leads to it', async () => {
  await visit({}, async (page) => {
    const row = page.locator('tr', { has: page.getByRole('link', { name, exact: true }) });
    const cells = await eventually(() => row.locator('td').allInnerTexts(), (found) => found[1] === '40', 'a row with 40 decisions');
    assert.deepEqual(cells.slice(0, 4), ['open', '40', '36', '4']);
    assert.match(cells[4], /^0\.\d{4}$/);
    await picture(page, 'list');
    await row.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await eventually(() => page.title(), (title) => title.includes(name), 'its name in the title');
  });
});

test('An experiment shows its figures, charts, posterior, decisions and spec', async () => {
  await visit({ url: experiment() }, async (page) => {
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await eventually(() => figure(page, 'Decisions'), (text) => text === '40', '40 decisions');
    assert.equal(await figure(page, 'Rewards'), '36');
    assert.equal(await figure(page, 'Pending rewards'), '4');
    const charts = await eventually(
      () => page.locator('.plot').evaluateAll((plots) => plots.map((plot) => plot.getAttribute('aria-label'))),
      (labels) => labels.length === 7 && labels.every((label) => !/No data/.test(label)),
      'seven charts with words for what they show',
    );
    assert.match(charts[0], /^Cumulative reward\. Reward: now \d/);
    assert.match(charts[6], /^Posterior along dimension 0, from .* The mean is largest/);
    assert.equal(await page.locator('.decisions tbody tr').count(), 20);
    assert.match(await page.locator('.shares').innerText(), /dose-\d+\s*:?\s*[\d.]+ %/);
    assert.match(await page.locator('.spec').innerText(), /k-ucb/);
    await picture(page, 'experiment');
  });
});

test('A decision is explained in words, with its runner-up', async () => {
  await visit({ url: experiment() }, async (page) => {
    const third = page.locator('.decisions tbody tr').nth(2);
    const id = await third.locator('button').getAttribute('title');
    await third.click();
    await page.locator('.event-line', { hasText: id }).waitFor();
    assert.match(await page.locator('.headline').innerText(), /^“dose-\d+” had the largest upper bound among 12 candidates\.$/);
    assert.match(await page.locator('.reason').first().innerText(), /When it was decided, the model expected .* runner-up|now reaches higher/);
    assert.equal(await page.locator('.intervals tr.chosen').count(), 1);
    assert.equal(await page.locator('.intervals tbody tr').count(), 10);
    await page.getByRole('button', { name: 'All 12 candidates' }).click();
    assert.equal(await page.locator('.intervals tbody tr').count(), 12);
  });
});

test('The posterior follows the chosen dimension and range', async () => {
  await visit({ url: experiment() }, async (page) => {
    const plot = page.locator('.posterior .plot');
    const label = () => plot.getAttribute('aria-label');
    await plot.waitFor();
    await page.getByLabel('Dimension', { exact: true }).selectOption('1');
    await eventually(label, (text) => /along dimension 1/.test(text), 'the second dimension');
    await page.getByLabel('To', { exact: true }).fill('2.5');
    await page.getByLabel('To', { exact: true }).press('Enter');
    await eventually(label, (text) => /to 2\.50\./.test(text), 'the range that was typed');
    await page.getByLabel('To', { exact: true }).fill('-9');
    await page.getByLabel('To', { exact: true }).press('Enter');
    assert.equal(await page.getByLabel('To', { exact: true }).inputValue(), '2.5');
    await page.getByRole('button', { name: 'Reset' }).click();
    await eventually(label, (text) => !/to 2\.50\./.test(text), 'the range of the data again');
  });
});

test('New decisions and rewards appear by themselves', async () => {
  await visit({ url: experiment() }, async (page) => {
    await page.getByRole('heading', { level: 1, name }).waitFor();
    const earlier = Number(await figure(page, 'Decisions'));
    const { event_id: id } = await round(100);
    await eventually(() => figure(page, 'Decisions'), (text) => Number(text) === earlier + 1, 'one more decision');
    const row = page.locator('.decisions tbody tr', { has: page.getByRole('button', { name: id, exact: true }) });
    await eventually(() => row.innerText(), (text) => /rewarded/.test(text), 'its reward');
  });
});

test('Hostile names are shown as the text they are', async () => {
  const actions = [0.1, 0.5].map((feature, index) => ({ id: `${hostile}${index}`, features: [feature] }));
  const id = `a/b?c#d&"'${hostile.replaceAll(' ', '/')}`; // an event's id has no spaces
  await round(200, { id, actions });
  await visit({ url: experiment() }, async (page) => {
    await page.getByRole('button', { name: id, exact: true }).click();
    await page.locator('.event-line', { hasText: id }).waitFor();
    assert.match(await page.locator('.headline').innerText(), /“<img src=x onerror=alert\(1\)>[01]”/);
    assert.match(await page.locator('.subtitle').innerText(), /Doses <img src=x/);
    assert.equal(await page.locator('main img').count(), 0);
    assert.ok((await sidewaysRoom(page)) <= 0);
  });
});

test('Dark mode follows the system and the switch', async () => {
  const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await visit({ url: experiment(), options: { ...desk, colorScheme: 'dark' } }, async (page) => {
    await page.locator('.posterior .plot').waitFor();
    assert.equal(await paper(page), 'rgb(15, 21, 27)');
    await picture(page, 'dark');
    await page.getByRole('switch', { name: 'Dark' }).click();
    assert.equal(await paper(page), 'rgb(244, 246, 248)');
    await page.reload();
    await page.locator('.posterior .plot').waitFor();
    assert.equal(await paper(page), 'rgb(244, 246, 248)');
    await page.getByRole('switch', { name: 'Dark' }).click();
    assert.equal(await paper(page), 'rgb(15, 21, 27)');
  });
});

test('A phone shows everything without scrolling sideways', async () => {
  await visit({ options: phone }, async (page) => {
    await page.getByRole('link', { name, exact: true }).tap();
    await page.locator('.posterior .plot').waitFor();
    assert.ok((await sidewaysRoom(page)) <= 0);
    await page.locator('.decisions tbody tr').nth(4).tap();
    await eventually(() => page.locator('.explanation').evaluate((panel) => {
      const { top, bottom } = panel.getBoundingClientRect();
      return { top, bottom, height: window.innerHeight };
    }), ({ top, bottom, height }) => top < height && bottom > 0, 'the explanation in sight');
    await picture(page, 'phone');
  });
});

test('Everything can be done with the keyboard', async () => {
  await visit({}, async (page) => {
    await page.getByRole('link', { name, exact: true }).waitFor();
    const focused = () => page.evaluate(() => document.activeElement.textContent || document.activeElement.getAttribute('aria-label'));
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'Skip to the content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
    for (let presses = 0; (await focused()) !== name; presses++) {
      assert.ok(presses < 200, 'the experiment can be reached with Tab');
      await page.keyboard.press('Tab');
    }
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
    await page.keyboard.press('Enter');
    await page.locator('.posterior .plot').waitFor();
    await useChartAndTable(page);
  });
});

async function useChartAndTable(page) {
  const tabTo = async (selector) => {
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) return;
    }
    assert.fail(`${selector} can be reached with Tab`);
  };
  await tabTo('.chart .plot');
  await page.keyboard.press('ArrowLeft');
  assert.match(await page.locator('.chart-note').first().innerText(), /^at \d\d:\d\d:\d\d$/);
  await page.keyboard.press('Home');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.chart-note').first().innerText(), 'of decisions');
  await tabTo('.decisions button');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const id = await page.evaluate(() => document.activeElement.title);
  await page.keyboard.press('Enter');
  await page.locator('.event-line', { hasText: id }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-pressed')), 'true');
}

test('An experiment that does not exist is reported, with a way back', async () => {
  await visit({ url: `${url}#/experiments/no-such-one`, excused: /404/ }, async (page) => {
    await page.getByText('There is no experiment of this name.').waitFor();
    await page.getByRole('link', { name: 'All experiments' }).click();
    await page.getByRole('link', { name, exact: true }).waitFor();
  });
});

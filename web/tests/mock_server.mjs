// A stand-in for the service, for work on the dashboard and for its browser tests. Speaks the same HTTP API on simulated
// data. `node tests/mock_server.mjs [port]` runs it; tests make a MockServer and pull its strings.

import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { MockExperiment } from './mock_experiment.mjs';
import { worlds } from './mock_worlds.mjs';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const files = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/assets/app.js': ['assets/app.js', 'text/javascript; charset=utf-8'],
  '/assets/app.css': ['assets/app.css', 'text/css; charset=utf-8'],
  '/assets/icon.svg': ['assets/icon.svg', 'image/svg+xml'],
};

class Refusal extends Error {
  constructor(status, code, message, field = null) {
    super(message);
    Object.assign(this, { status, code, field });
  }
}

export class MockServer {
  constructor({ simulate = true, liveEvery = 1000, token = null, readToken = null } = {}) {
    Object.assign(this, { liveEvery, token, readToken, readOnly: null, port: 0, prefix: '' });
    this.sequence = { last: 0, next: () => (this.sequence.last += 1) };
    this.running = simulate ? worlds(this.sequence) : [];
    this.experiments = new Map(this.running.map(({ experiment }) => [experiment.name, experiment]));
    this.requests = [];
    this.sockets = new Set();
  }

  get url() {
    return `http://127.0.0.1:${this.port}${this.prefix}/`;
  }

  async start(port = this.port) {
    this.server = createServer((request, response) => this.answer(request, response));
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    await new Promise((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    this.port = this.server.address().port;
    this.clock = setInterval(() => this.advance(), 50);
    return this;
  }

  // Gone as after a crash: open streams break, new connections are refused.
  async stop() {
    clearInterval(this.clock);
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  advance() {
    const now = Date.now();
    for (const entry of this.running) {
      entry.owed = Math.min(20, (entry.owed ?? 0) + entry.pace * 0.05);
      for (; entry.owed >= 1; entry.owed -= 1) entry.experiment.step(now);
    }
  }

  async answer(request, response) {
    try {
      const { pathname, searchParams } = new URL(request.url, 'http://mock');
      if (!pathname.startsWith(this.prefix)) throw new Refusal(404, 'not_found', `no such path: ${pathname}`);
      const path = pathname.slice(this.prefix.length);
      this.requests.push({ method: request.method, path });
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      await this.route(request, response, path, searchParams, Buffer.concat(chunks).toString());
    } catch (error) {
      const { status = 500, code = 'internal', message, field = null } = error;
      if (status === 500) console.error(error);
      if (!response.headersSent) send(response, status, { error: { code, message, field } });
    }
  }

  async route(request, response, path, query, text) {
    if (files[path]) return serveFile(response, ...files[path]);
    if (path === '/healthz') return send(response, 200, { status: 'ok' });
    if (path === '/readyz') {
      return this.readOnly ? send(response, 503, { status: 'read_only', message: this.readOnly }) : send(response, 200, { status: 'ready' });
    }
    const match = /^\/v1\/experiments(?:\/([^/]+)(?:\/(.+))?)?$/.exec(path);
    if (!match) throw new Refusal(404, 'not_found', `no such path: ${path}`);
    this.checkToken(request);
    const body = text && request.method === 'POST' ? JSON.parse(text) : {};
    if (!match[1]) return request.method === 'POST' ? this.create(response, body) : this.list(response);
    const name = decodeURIComponent(match[1]);
    const experiment = this.experiments.get(name);
    if (!experiment) throw new Refusal(404, 'not_found', `no experiment "${name}"`);
    return this.one(response, request.method, experiment, match[2] ?? '', query, body);
  }

  checkToken(request) {
    if (!this.token) return;
    const given = request.headers.authorization;
    if (!given) throw new Refusal(401, 'unauthorized', 'a token is needed: Authorization: Bearer ...');
    if (given === 'Bearer only-decides') throw new Refusal(403, 'forbidden', 'this token has the roles decide, needed is read');
    if (given !== `Bearer ${this.token}`) throw new Refusal(401, 'unauthorized', 'the token is not known');
  }

  list(response) {
    send(response, 200, { experiments: [...this.experiments.values()].map((experiment) => experiment.json({ spec: false })) });
  }

  create(response, { name, spec, description = null }) {
    if (this.experiments.has(name)) throw new Refusal(409, 'exists', `experiment "${name}" exists with another spec`);
    const experiment = new MockExperiment({ name, spec, description, radius: 0.6, sequence: this.sequence });
    this.experiments.set(name, experiment);
    send(response, 201, experiment.json());
  }

  one(response, method, experiment, rest, query, body) {
    const now = Date.now();
    if (method === 'GET' && rest === '') return send(response, 200, experiment.json());
    if (method === 'GET' && rest === 'history') return send(response, 200, experiment.history());
    if (method === 'GET' && rest === 'live') return this.live(response, experiment);
    if (method === 'GET' && rest === 'decisions') {
      return send(response, 200, { decisions: experiment.recent.slice(0, Number(query.get('limit') ?? 20)) });
    }
    if (method === 'GET' && rest.startsWith('decisions/')) {
      const id = decodeURIComponent(rest.slice('decisions/'.length));
      const explained = experiment.explain(id);
      if (!explained) throw new Refusal(404, 'unknown_event', `no decision "${id}" among the last 100`, 'event_id');
      return send(response, 200, explained);
    }
    if (rest === 'predict') return predict(response, experiment, body.states);
    if (rest === 'decide') return this.decide(response, experiment, body, now);
    if (rest === 'reward') {
      experiment.reward(body.event_id, body.reward, now);
      return send(response, 200, { event_id: body.event_id, status: 'accepted' });
    }
    throw new Refusal(404, 'not_found', `no such path: ${rest}`);
  }

  decide(response, experiment, body, now) {
    const ids = body.actions.map((action) => action.id);
    const actions = body.actions.map((action) => action.features ?? action);
    const decision = experiment.decide({ ...body, actions, ids }, now);
    const { event_id, index, id, mean, sd, lower, upper, propensity, version } = decision;
    send(response, 200, { event_id, index, id, mean, sd, lower, upper, propensity, version });
  }

  live(response, experiment) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    let seen = null;
    const tell = () => {
      const mark = `${experiment.lastEvent} ${experiment.degraded?.skipped} ${experiment.state}`;
      if (mark === seen) return;
      seen = mark;
      response.write(`event: state\ndata: ${JSON.stringify(experiment.live(Date.now()))}\n\n`);
    };
    tell();
    const telling = setInterval(tell, this.liveEvery);
    const comments = setInterval(() => response.write(': still here\n\n'), 15_000);
    response.on('close', () => {
      clearInterval(telling);
      clearInterval(comments);
    });
  }
}

function predict(response, experiment, states) {
  const dimension = experiment.model?.dimension ?? states[0].length;
  states.forEach((state, index) => {
    if (state.length === dimension) return;
    throw new Refusal(400, 'bad_request', `states[${index}] must have ${dimension} numbers, got ${state.length}`, `states[${index}]`);
  });
  const estimates = experiment.predict(states);
  const column = (name) => estimates.map((estimate) => estimate[name]);
  send(response, 200, { mean: column('mean'), sd: column('sd'), lower: column('lower'), upper: column('upper'), version: experiment.lastEvent });
}

function send(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function serveFile(response, name, type) {
  const content = await readFile(dist + name);
  response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': "default-src 'self'; style-src 'self' 'unsafe-inline'" });
  response.end(content);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await new MockServer().start(Number(process.argv[2] ?? 8080));
  console.log(`listening on ${server.url}`);
}

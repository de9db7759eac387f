// Commands to paste into a shell. Names are letters, digits, dots, dashes and underscores: nothing to quote.

function post(url: string, token: boolean, body: string): string {
  const authorization = token ? ` \\\n  -H "Authorization: Bearer $TOKEN"` : '';
  return `curl -X POST ${url} \\\n  -H 'Content-Type: application/json'${authorization} \\\n  -d '${body}'`;
}

export function createCommand(base: string, token: boolean): string {
  return post(`${base}v1/experiments`, token, '{"name": "first", "spec": {"policy": "ek-ucb"}}');
}

export function decideCommand(base: string, name: string, token: boolean): string {
  return post(`${base}v1/experiments/${name}/decide`, token, '{"context": [0.2], "actions": [[0.1], [0.5], [0.9]]}');
}

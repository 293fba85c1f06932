import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { API_PAGE, addApiPage } from './api-page.js';
import { addPages, protectAnswers } from './front-page.js';

const served = async () => {
  const app = fastify();
  onTestFinished(() => app.close());
  app.addHook('onRequest', protectAnswers({}));
  addPages(app);
  await addApiPage(app);
  return (url: string) => app.inject({ url });
};

/** What a browser loads for a page: the addresses in `src` and `href`, as paths of this server. */
const loadedBy = (html: string): readonly string[] =>
  [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) =>
    new URL(address, `http://mq.test${API_PAGE}/`).href.replace('http://mq.test', ''),
  );

test('the API page loads everything from this server, and runs no script of its own text', async () => {
  const get = await served();
  const page = await get(`${API_PAGE}/`);
  expect([page.statusCode, page.headers['content-type']]).toEqual([
    200,
    expect.stringContaining('text/html'),
  ]);
  const loaded = loadedBy(page.body);
  expect(loaded.length).toBeGreaterThan(3);
  for (const path of loaded) expect([path, (await get(path)).statusCode]).toEqual([path, 200]);
  expect(page.body.replace(/<script[^>]* src="[^"]*"[^>]*>\s*<\/script>/g, '')).not.toMatch(
    /<script|\son\w+=/,
  );
  expect(page.body).not.toMatch(/https?:\/\//);
});

test('the API page may load and ask nothing of other sites, and no site may frame it', async () => {
  const get = await served();
  for (const path of [`${API_PAGE}/`, ...loadedBy((await get(`${API_PAGE}/`)).body)]) {
    const csp = String((await get(path)).headers['content-security-policy']);
    expect(csp).toContain("default-src 'none'");
    expect(csp).toContain("script-src 'self';");
    expect(csp).toContain("connect-src 'self';");
    expect(csp).toContain("frame-ancestors 'none'");
    expect(csp).not.toMatch(/https?:|\*|unsafe-eval/);
  }
});

test('the API page shows its document and asks no validator', async () => {
  const get = await served();
  expect((await get(`${API_PAGE}/json`)).json()).toEqual((await get('/v1/openapi.json')).json());
  const script = (await get(`${API_PAGE}/static/swagger-initializer.js`)).body;
  expect(script).toContain('"validatorUrl":null');
});

test('pages beside the API page keep the policy that allows nothing', async () => {
  const get = await served();
  expect((await get('/')).headers['content-security-policy']).toBe(
    "default-src 'none'; frame-ancestors 'none'",
  );
});

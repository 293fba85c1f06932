import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { environmentVariables, readConfig } from '../src/config.js';
import { SHUTDOWN_LIMIT_MS } from '../src/shutdown.js';
import { serverWith, temporaryFolder } from './server-process.js';

const HERE = fileURLToPath(new URL('../../../examples/deploy', import.meta.url));
const ROOT = join(HERE, '../..');
const read = (name: string): string => readFileSync(join(HERE, name), 'utf8');

type Environment = Readonly<Record<string, string>>;

/** Lines of `NAME=value`, as systemd's environment files have them. */
const assignments = (text: string): Environment =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );

/** Sections and settings of a unit; a setting that stands several times has several values. */
const unitOf = (text: string): Map<string, string[]> => {
  const unit = new Map<string, string[]>();
  let section = '';
  for (const line of text.split('\n')) {
    section = /^\[(\w+)\]$/.exec(line)?.[1] ?? section;
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const key = `${section}.${name}`;
    unit.set(key, [...(unit.get(key) ?? []), value]);
  }
  return unit;
};

const mqService = z.object({
  build: z.object({ context: z.string(), dockerfile: z.string() }),
  environment: z.record(z.string(), z.string()),
  volumes: z.array(z.string()),
  pid: z.literal('host'),
  hostname: z.string(),
  stop_grace_period: z.string().regex(/^\d+s$/),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })),
});
const compose = parse(read('compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, unknown>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const composed = ['mq-1', 'mq-2'].map((name) => mqService.parse(compose.services[name]));

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const container = z.object({
  envFrom: z.array(z.object({ secretRef: z.object({ name: z.string() }) })),
  env: z.array(z.object({ name: z.string(), value: z.string() })),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
});
const labels = z.record(z.string(), z.string());
const kinds = {
  Secret: z.object({
    metadata: z.object({ name: z.string() }),
    stringData: z.record(z.string(), z.string()),
  }),
  PersistentVolumeClaim: z.object({
    metadata: z.object({ name: z.string() }),
    spec: z.object({ accessModes: z.array(z.string()) }),
  }),
  Deployment: z.object({
    spec: z.object({
      replicas: z.number(),
      selector: z.object({ matchLabels: labels }),
      template: z.object({
        metadata: z.object({ labels }),
        spec: z.object({
          hostPID: z.literal(true),
          hostname: z.string(),
          affinity: z.object({ podAffinity: z.unknown() }),
          terminationGracePeriodSeconds: z.number(),
          containers: z.tuple([container]),
          volumes: z.array(
            z.object({ name: z.string(), persistentVolumeClaim: z.object({ claimName: z.string() }) }),
          ),
        }),
      }),
    }),
  }),
  Service: z.object({
    spec: z.object({ selector: labels, ports: z.array(z.object({ targetPort: z.string() })) }),
  }),
  PodDisruptionBudget: z.object({ spec: z.object({ selector: z.object({ matchLabels: labels }) }) }),
};
const manifests = parseAllDocuments(read('kubernetes.yaml')).map((document) => {
  expect(document.errors).toEqual([]);
  return document.toJS() as { readonly kind: string };
});
const manifest = <Kind extends keyof typeof kinds>(kind: Kind): z.infer<(typeof kinds)[Kind]> =>
  kinds[kind].parse(manifests.find((one) => one.kind === kind)) as z.infer<(typeof kinds)[Kind]>;
const pod = manifest('Deployment').spec.template.spec;
const [server] = pod.containers;

const image = read('Dockerfile');
const imageEnv: Environment = Object.fromEntries(
  [...image.matchAll(/^ENV (.*)$/gm)].flatMap(([, pairs = '']) =>
    pairs.split(' ').map((pair) => pair.split('=')),
  ),
);

const STRONG = 'mqt-0123456789abcdef0123456789abcdef';

/** A variable that compose fills in from its caller's environment. */
const filledIn = (text: string): string => text.replaceAll(/\$\{(\w+):\?[^}]*\}/g, STRONG);

const unit = unitOf(read('mq@.service'));
const environments: Record<string, Environment> = {
  'the unit of systemd': {
    ...assignments((unit.get('Service.Environment') ?? []).join('\n').replaceAll('%i', '8787')),
    ...assignments(read('mq.env')),
  },
  compose: {
    ...imageEnv,
    ...Object.fromEntries(
      Object.entries(composed[0]?.environment ?? {}).map(([name, value]) => [name, filledIn(value)]),
    ),
  },
  kubernetes: {
    ...Object.fromEntries(server.env.map(({ name, value }) => [name, value])),
    ...manifest('Secret').stringData,
  },
};

test.each(Object.entries(environments))('%s sets what the server reads, and nothing else', (_name, env) => {
  expect(Object.keys(env).filter((name) => !(name in environmentVariables))).toEqual([]);
  const config = readConfig({ ...env, MQ_TOKEN: STRONG, MQ_DATA: temporaryFolder() });
  expect(config).toMatchObject({ port: 8787, isTokenGenerated: false, store: { kind: 'postgresql' } });
  expect(env.MQ_DATA).toMatch(/^\//);
});

test('every deployment gives a server more time than it needs to end', () => {
  const graces = [
    Number(unit.get('Service.TimeoutStopSec')?.[0]),
    ...composed.map(({ stop_grace_period }) => Number.parseInt(stop_grace_period, 10)),
    pod.terminationGracePeriodSeconds,
  ];
  for (const seconds of graces) expect(seconds * 1_000).toBeGreaterThan(SHUTDOWN_LIMIT_MS);
});

test('the unit starts the program that the build makes, in the folders that it may write to', () => {
  const { bin } = z
    .object({ bin: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(ROOT, 'packages/server/package.json'), 'utf8')));
  const program = join('/opt/mq/packages/server', bin['mq-server'] ?? '');
  expect(unit.get('Service.ExecStart')).toEqual([`/usr/bin/node --max-semi-space-size=64 ${program}`]);
  expect(unit.get('Service.ReadWritePaths')).toEqual([environments['the unit of systemd']?.MQ_DATA]);
  expect(unit.get('Service.KillMode')).toEqual(['mixed']);
});

test('the image is built from this repository and starts the program that the build makes', () => {
  const { engines } = z
    .object({ engines: z.object({ node: z.string() }) })
    .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  const [, wanted = ''] = /^>=(\d+)/.exec(engines.node) ?? [];
  const versions = [...image.matchAll(/^FROM node:(\d+)/gm)].map(([, version]) => Number(version));
  expect(versions).toHaveLength(2);
  for (const version of versions) expect(version).toBeGreaterThanOrEqual(Number(wanted));
  expect(image).toContain('CMD ["node", "--max-semi-space-size=64", "/app/dist/main.js"]');
  expect(image).toContain(`EXPOSE ${imageEnv.PORT}`);
  expect(image).toContain(`VOLUME ${imageEnv.MQ_DATA}`);
  for (const { build } of composed)
    expect(join(HERE, build.context, build.dockerfile)).toBe(join(HERE, 'Dockerfile'));
});

test('servers that share repositories see the same processes under the same name', () => {
  expect(new Set(composed.map(({ hostname }) => hostname)).size).toBe(1);
  expect(new Set(composed.map(({ volumes }) => volumes.join())).size).toBe(1);
  expect(composed[0]?.volumes).toEqual([`data:${imageEnv.MQ_DATA}`]);
  expect(manifest('Deployment').spec.replicas).toBeGreaterThan(1);
  expect(pod.hostname).not.toBe('');
});

test('everything that the compose and kubernetes files name exists', () => {
  for (const { depends_on } of composed)
    expect(Object.keys(depends_on).filter((name) => !(name in compose.services))).toEqual([]);
  expect(Object.keys(compose.volumes).sort()).toEqual(['data', 'postgres']);
  const { selector, template } = manifest('Deployment').spec;
  const wanted = template.metadata.labels;
  expect(selector.matchLabels).toEqual(wanted);
  expect(manifest('Service').spec.selector).toEqual(wanted);
  expect(manifest('PodDisruptionBudget').spec.selector.matchLabels).toEqual(wanted);
  expect(server.envFrom.map(({ secretRef }) => secretRef.name)).toEqual([manifest('Secret').metadata.name]);
  expect(pod.volumes.map((volume) => volume.persistentVolumeClaim.claimName)).toEqual([
    manifest('PersistentVolumeClaim').metadata.name,
  ]);
  expect(server.volumeMounts).toEqual([
    { name: pod.volumes[0]?.name, mountPath: environments.kubernetes?.MQ_DATA },
  ]);
});

test('proxies and services lead to the ports that the servers listen on', () => {
  const backends = (name: string) => [...read(name).matchAll(/^ *server (\S+) /gm)].map(([, at]) => at);
  expect(backends('nginx.conf')).toEqual(['127.0.0.1:8787', '127.0.0.1:8788']);
  expect(read('mq@.service')).toContain('mq@8787 mq@8788');
  expect(backends('nginx.compose.conf')).toEqual(['mq-1', 'mq-2'].map((name) => `${name}:${imageEnv.PORT}`));
  expect(server.ports).toEqual([{ name: 'http', containerPort: Number(environments.kubernetes?.PORT) }]);
  const named = [
    ...manifest('Service').spec.ports.map(({ targetPort }) => targetPort),
    ...[server.startupProbe, server.livenessProbe, server.readinessProbe].map(({ httpGet }) => httpGet.port),
  ];
  expect(new Set(named)).toEqual(new Set(['http']));
});

test('probes ask what a server answers without a token', async () => {
  const running = await serverWith();
  const fromImage = /(\/health\/\w+)'/.exec(image)?.[1] ?? '';
  const paths = [server.startupProbe, server.livenessProbe, server.readinessProbe].map(
    ({ httpGet }) => httpGet.path,
  );
  for (const path of new Set([...paths, fromImage])) expect((await running.ask(path)).status).toBe(200);
  expect(server.readinessProbe.httpGet.path).toBe('/health/ready');
});

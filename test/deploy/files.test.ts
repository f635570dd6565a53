import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.js';
import { settingNames } from '../../src/config/settings.js';
import { contract } from '../../src/http/api/operations/contract.js';
import { uploadBounds } from '../../src/http/overload/clients.js';
import { requestTimeoutMs } from '../../src/http/server/server.js';
import { documentsIn, engines, read, root, version } from './files.js';

const manifests = ['secret.example', 'coursectl'].map((name) => `deploy/kubernetes/${name}.yaml`);

/** Used fields of a Kubernetes manifest. */
interface Manifest {
  kind: string;
  data?: Record<string, string>;
  spec?: {
    strategy?: { type: string };
    template?: {
      spec: {
        terminationGracePeriodSeconds: number;
        containers: { args: string[]; volumeMounts: { name: string; mountPath: string }[] }[];
        volumes: { name: string; emptyDir?: { sizeLimit: string } }[];
      };
    };
  };
}

/** Returns the manifest of a kind. */
function manifestOf(kind: string): Manifest {
  const found = (manifests.flatMap(documentsIn) as Manifest[]).find((manifest) => manifest.kind === kind);
  if (!found) throw new Error(`There is no ${kind}.`);
  return found;
}

/** Used fields of a workflow. */
interface Workflow {
  permissions: object;
  jobs: Record<
    string,
    { strategy?: { matrix: { node: string[] } }; permissions?: object; steps: { uses?: string; run?: string }[] }
  >;
}

describe('The files for deployments', () => {
  it('set only settings that exist', () => {
    const [compose] = documentsIn('compose.yaml') as [
      { services: { service: { environment: Record<string, string> } } },
    ];
    const [secret] = documentsIn('deploy/kubernetes/secret.example.yaml') as [{ stringData: object }];
    const [configMap] = documentsIn('deploy/kubernetes/coursectl.yaml') as [{ data: object }];
    const named = {
      'compose.yaml': Object.keys(compose.services.service.environment),
      Dockerfile: Array.from(read('Dockerfile').matchAll(/^(?:ENV| {3}) (\w+)=/gm), ([, name = '']) => name),
      unit: Array.from(
        read('deploy/coursectl@.service').matchAll(/(?<=^Environment=.*?)(\w+)=/gm),
        ([, name = '']) => name,
      ),
      secret: Object.keys(secret.stringData),
      configMap: Object.keys(configMap.data),
    };
    for (const [where, names] of Object.entries(named)) {
      expect(names, where).to.not.have.length(0);
      const known: readonly string[] = [...settingNames, 'HOME'];
      expect(
        names.filter((name) => !known.includes(name)),
        where,
      ).to.deep.equal([]);
    }
  });

  it('pass all settings of `.env` to the compose service, except those that its container sets', () => {
    const [{ services }] = documentsIn('compose.yaml') as [
      { services: { service: { env_file: string; environment: Record<string, string> } } },
    ];
    const { env_file: file, environment } = services.service;
    expect(file).to.equal('.env');
    // A `.env` for commands outside of the container may have these settings.
    expect(environment).to.include({ HOST: '0.0.0.0', PORT: '3000', DATA_DIR: '/data', DB_HOST: 'database' });
    expect(environment).to.include({ NODE_ENV: 'production', DATABASE_URL: '' });
    const given = Object.entries(environment).filter(([, value]) => value.includes('${'));
    expect(given.map(([name]) => name)).to.deep.equal(['JWT_SECRET']);
  });

  it('pin the base of the image, and install before the source is copied', () => {
    expect(read('Dockerfile')).to.match(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-[\w-]+@sha256:[0-9a-f]{64}$/m);
    const [, manifests, install, source, build] = read('Dockerfile').match(/^(FROM|COPY|RUN) .*/gm) ?? [];
    expect([manifests, source]).to.deep.equal(['COPY package.json package-lock.json ./', 'COPY . .']);
    expect(install).to.match(/^RUN npm ci --ignore-scripts /);
    expect(build).to.match(/^RUN npm run build /);
  });

  it('probe existing routes of the service', () => {
    const paths = Object.values(contract).map(({ path }) => path);
    const asked = [...manifests, 'Dockerfile', 'deploy/Caddyfile'].flatMap((file) =>
      Array.from(read(file).matchAll(/\/(?:health|ready)z\b/g), ([path]) => path),
    );
    expect(new Set(asked)).to.deep.equal(new Set(['/healthz', '/readyz']));
    expect(paths).to.include.members([...new Set(asked)]);
  });

  it('give Kubernetes instances time to end, migrate with no older instance running, and have room for uploads', () => {
    const { strategy, template } = manifestOf('Deployment').spec ?? {};
    const { containers = [], volumes = [], terminationGracePeriodSeconds: grace } = template?.spec ?? {};
    const drain = Number(manifestOf('ConfigMap').data?.DRAIN_DELAY_MS) / 1000;
    // Running requests have 25 s after the delay: see docs/OPERATIONS.md.
    expect(grace).to.be.at.least(drain + 25);
    expect(strategy).to.deep.equal({ type: 'Recreate' });
    expect(containers.map(({ args }) => args)).to.deep.equal([['serve', '--migrate', '--quiet']]);
    // A job would migrate while instances of the former version run.
    expect((manifests.flatMap(documentsIn) as Manifest[]).map(({ kind }) => kind)).to.not.include('Job');
    const mount = containers.flatMap(({ volumeMounts }) => volumeMounts).find(({ mountPath }) => mountPath === '/data');
    const limit = volumes.find(({ name }) => name === mount?.name)?.emptyDir?.sizeLimit;
    expect(limit).to.match(/^\d+Gi$/);
    const { files, http } = loadConfig({ env: {}, cwd: '/' });
    const uploads = uploadBounds.total + http.maxInFlight;
    expect(Number.parseInt(limit ?? '', 10) * 2 ** 30).to.be.at.least(uploads * files.materialBytes);
  });

  it('let proxies wait at least as long as the service', () => {
    const timeouts = (file: string, names: RegExp) =>
      Array.from(read(file).matchAll(names), ([, name = '', minutes]) => [name, Number(minutes) * 60_000] as const);
    const found = {
      nginx: timeouts('deploy/nginx.conf', /^ *proxy_(read|send)_timeout (\d+)m;/gm),
      // Not the timeouts of database connections, which belong to pools.
      HAProxy: timeouts('deploy/haproxy.cfg', /^ *timeout (client|server) (\d+)m$/gm),
    };
    expect(found.nginx.map(([name]) => name)).to.have.members(['read', 'send']);
    expect(found.HAProxy.map(([name]) => name)).to.have.members(['client', 'server']);
    for (const [name, milliseconds] of Object.values(found).flat())
      expect(milliseconds, name).to.be.at.least(requestTimeoutMs);
  });

  it('name the current version, and the settings that several machines need', () => {
    const images = manifests.flatMap((file) => Array.from(read(file).matchAll(/image: (.*)/g), ([, image]) => image));
    expect(new Set(images)).to.deep.equal(new Set([`coursectl:${version}`]));
    for (const file of ['deploy/nginx.conf', 'deploy/Caddyfile', 'deploy/haproxy.cfg']) {
      const names = read(file).match(/\b[A-Z]\w*_\w+\b|\bHOST\b/g) ?? [];
      expect(names, file).to.include.members(['TRUST_PROXY', 'HOST', 'JWT_SECRET', 'FILE_STORAGE', 'DATA_DIR']);
    }
  });

  it('test every version of Node that package.json names, and publish with provenance after all tests', () => {
    const [ci, nightly, release] = ['ci', 'nightly', 'release'].map(
      (name) => documentsIn(`.github/workflows/${name}.yml`)[0],
    ) as [Workflow, Workflow, Workflow];
    const lines = Array.from(engines.node.matchAll(/\^(\d+)/g), ([, line]) => line);
    expect(lines).to.not.have.length(0);
    expect(ci.jobs.test?.strategy?.matrix.node).to.deep.equal(lines);
    const commands = ({ jobs }: Workflow) =>
      Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    expect(commands(ci)).to.include.members(['npm ci && npm test', '.ci/run']);
    expect(commands(nightly)).to.include('.ci/run');
    const publishing = commands(release);
    const published = publishing.findIndex((command) => command.startsWith('npm publish --provenance'));
    expect(published).to.be.greaterThan(publishing.indexOf('.ci/run')).and.greaterThan(0);
    expect(release.jobs.publish?.permissions).to.include({ 'id-token': 'write' });
    for (const workflow of [ci, nightly, release]) expect(workflow.permissions).to.deep.equal({ contents: 'read' });
    for (const name of ['ISSUE_TEMPLATE/bug', 'ISSUE_TEMPLATE/idea', 'ISSUE_TEMPLATE/config', 'dependabot'])
      expect(documentsIn(`.github/${name}.yml`)).to.have.length(1);
  });

  it('list every production package in the software bill of materials', () => {
    const { stdout, status } = spawnSync('npm', ['run', '--silent', 'sbom'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    expect(status).to.equal(0);
    const bill = JSON.parse(stdout) as {
      bomFormat: string;
      components: { name: string; version: string; licenses?: object[] }[];
    };
    expect(bill.bomFormat).to.equal('CycloneDX');
    const names = bill.components.map(({ name }) => name);
    expect(names).to.include.members(['express', 'sequelize', 'mysql2', 'sharp']).and.not.include.members(['mocha']);
    expect(names).to.not.include('typescript');
  });
});

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../support/temporary-folder.js';
import { documentsIn, root } from './files.js';

/** Compiles a program of one file, and returns the compiler's output. */
function problemsOf(source: string): string {
  const folder = temporaryFolder();
  try {
    const paths = { 'kubernetes-types/*': [path.join(root, 'node_modules/kubernetes-types/*')] };
    const form = { module: 'esnext', moduleResolution: 'bundler', types: [], paths };
    const settings = { compilerOptions: { strict: true, noEmit: true, ...form }, files: ['manifests.ts'] };
    writeFileSync(path.join(folder.path, 'tsconfig.json'), JSON.stringify(settings));
    writeFileSync(path.join(folder.path, 'manifests.ts'), source);
    const compiler = path.join(root, 'node_modules/.bin/tsc');
    return spawnSync(compiler, ['--project', folder.path], { encoding: 'utf8' }).stdout;
  } finally {
    folder.remove();
  }
}

/** A Kubernetes object. */
interface Manifest {
  apiVersion: string;
  kind: string;
}

/** Returns a program with a typed literal for each manifest. The compiler refuses unknown fields in literals. */
function programOf(manifests: readonly Manifest[]): string {
  const lines = manifests.map(({ apiVersion, kind, ...fields }, index) => {
    const from = apiVersion === 'v1' ? 'core/v1' : apiVersion;
    const typed = JSON.stringify({ apiVersion, kind, ...fields });
    return `import type { ${kind} as Type${index} } from 'kubernetes-types/${from}';\nexport const manifest${index}: Type${index} = ${typed};`;
  });
  return lines.join('\n');
}

describe('The manifests for Kubernetes', () => {
  const manifests = ['secret.example', 'coursectl'].flatMap(
    (name) => documentsIn(`deploy/kubernetes/${name}.yaml`) as Manifest[],
  );

  it('have only valid fields of the right types', () => {
    const kinds = ['Secret', 'ConfigMap', 'PersistentVolumeClaim', 'Deployment', 'Service', 'PodDisruptionBudget'];
    expect(manifests.map(({ kind }) => kind)).to.have.members(kinds);
    const misspelt = { apiVersion: 'v1', kind: 'Service', spec: { ports: [{ port: 80, tragetPort: 1 }] } };
    const problems = problemsOf(programOf([...manifests, misspelt])).match(/error TS.*/g);
    expect(problems).to.have.length(1);
    expect(problems?.[0]).to.include(`'"tragetPort"' does not exist`);
  });

  it('store import files and retention exports on a volume', () => {
    const found = manifests.find(({ kind }) => kind === 'Deployment');
    const { spec } = found as unknown as {
      spec: {
        template: {
          spec: {
            containers: { volumeMounts: { name: string; mountPath: string }[] }[];
            volumes: { name: string; persistentVolumeClaim?: object }[];
          };
        };
      };
    };
    const { containers, volumes } = spec.template.spec;
    const claimed = volumes.filter(({ persistentVolumeClaim }) => persistentVolumeClaim).map(({ name }) => name);
    const mounts = containers.flatMap(({ volumeMounts }) => volumeMounts);
    const kept = mounts.filter(({ name }) => claimed.includes(name)).map(({ mountPath }) => mountPath);
    expect(kept).to.have.members(['/data/imports', '/data/retention']);
  });

  it('take the metrics token from the secret, and trust few addresses', () => {
    const settingsOf = (kind: string, part: 'data' | 'stringData') =>
      (manifests.find((manifest) => manifest.kind === kind) as unknown as Record<string, Record<string, string>>)[part];
    expect(settingsOf('Secret', 'stringData')).to.include.keys('JWT_SECRET', 'METRICS_TOKEN');
    const { TRUST_PROXY = '' } = settingsOf('ConfigMap', 'data') ?? {};
    expect(Number(/^\d+\.\d+\.\d+\.\d+\/(\d+)$/.exec(TRUST_PROXY)?.[1]), TRUST_PROXY).to.be.at.least(24);
  });
});

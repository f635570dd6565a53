/**
 * `npm run test:effects`: removes each line of src/services with `// effect: name` in turn, in copies of the program, and runs
 * the tests of effects. It is a failure if no test notices a removed line.
 */
import { spawn } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeCounts } from './support/counts.js';
import { prepareSqlite } from './support/prepare.js';
import { makeScratch } from './support/scratch.js';

const repository = fileURLToPath(new URL('../', import.meta.url));
const filesIn = (folder: string) =>
  readdirSync(path.join(repository, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
    path.posix.join(folder, file),
  );

/** A line with an effect. */
interface Effect {
  name: string;
  file: string;
  line: number;
}

const effects: Effect[] = filesIn('src/services')
  .filter((file) => file.endsWith('.ts'))
  .sort()
  .flatMap((file) =>
    readFileSync(path.join(repository, file), 'utf8')
      .split('\n')
      .flatMap((text, line) => {
        const name = /\/\/ effect: (\S+)$/.exec(text)?.[1];
        return name === undefined ? [] : [{ name, file, line }];
      }),
  );
const tests = filesIn('test/services').filter((file) => /(^|-|\/)effects\.(sql\.)?test\.ts$/.test(file));
/** Returns the test files, with tests of the same feature first. */
const testsFor = ({ file }: Effect): string[] => {
  const feature = file.split('/')[2] ?? '';
  const isOwn = (test: string) => test.split('/')[2] === feature;
  return [...tests.filter(isOwn), ...tests.filter((test) => !isOwn(test))];
};

const scratch = makeScratch();
process.env.TMPDIR = scratch;
const { env } = await prepareSqlite();

/** Copies the program and its tests. */
function copyOf(index: number): string {
  const copy = path.join(scratch, `copy-${index}`);
  for (const name of ['src', 'test', 'migrations', 'seeders', 'package.json', 'tsconfig.json', '.mocharc.json'])
    cpSync(path.join(repository, name), path.join(copy, name), { recursive: true });
  symlinkSync(path.join(repository, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

/** Runs tests of a copy up to the first failure. @returns the title of the failed test; undefined if all pass */
async function firstFailure(copy: string, files: readonly string[]): Promise<string | undefined> {
  const args = [
    'node_modules/mocha/bin/mocha.js',
    '--bail',
    '--exit',
    '--timeout',
    '60000',
    '--reporter',
    'json',
    ...files,
  ];
  const child = spawn(process.execPath, args, {
    cwd: copy,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  const start = output.indexOf('{\n  "stats"');
  if (start < 0) throw new Error(`The tests did not run on ${copy}:\n${output}${errors}`);
  const { failures } = JSON.parse(output.slice(start)) as { failures: { fullTitle: string }[] };
  return failures[0]?.fullTitle;
}

/** Removes the effects in the queue one by one in a copy, until the queue is empty. */
async function work(copy: string, queue: Effect[], unnoticed: string[]): Promise<void> {
  for (let effect = queue.shift(); effect; effect = queue.shift()) {
    const { name, file, line } = effect;
    const source = readFileSync(path.join(repository, file), 'utf8');
    const without = source.split('\n').filter((_, index) => index !== line);
    writeFileSync(path.join(copy, file), without.join('\n'));
    const failure = await firstFailure(copy, testsFor(effect));
    writeFileSync(path.join(copy, file), source);
    console.log(failure === undefined ? `NOT NOTICED ${name} (${file}:${line + 1})` : `${name} -> ${failure}`);
    if (failure === undefined) unnoticed.push(name);
  }
}

try {
  const names = effects.map(({ name }) => name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (names.length === 0 || twice.length > 0)
    throw new Error(`No marked lines, or the same name twice: ${twice.join(', ')}`);
  const copies = Array.from({ length: availableParallelism() }, (_, index) => copyOf(index));
  const before = await firstFailure(copies[0] ?? '', tests);
  if (before !== undefined) throw new Error(`With all effects this fails: ${before}`);
  const unnoticed: string[] = [];
  const queue = [...effects];
  await Promise.all(copies.map((copy) => work(copy, queue, unnoticed)));
  console.log(`${names.length - unnoticed.length} of ${names.length} effects are noticed by ${tests.join(', ')}`);
  const passed = names.length - unnoticed.length;
  const failures = unnoticed.map((name) => `no test notices the effect ${name}`);
  writeCounts({ passed, failed: unnoticed.length, skipped: 0, failures });
  if (unnoticed.length > 0) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}

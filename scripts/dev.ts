/**
 * `npm run dev`: the service from the source on its usual port, started again when a file of it changes, and the web console
 * with hot reload on port 5173, which passes `/api` on to it. Ctrl-C ends both.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What a program answers that Ctrl-C has ended. */
const interrupted = 130;
const root = fileURLToPath(new URL('..', import.meta.url));
const start = (name: string, args: readonly string[]): ChildProcess => {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  child.once('exit', (code) => {
    if (code !== 0 && code !== null && code !== interrupted) console.error(`${name} ended with exit code ${code}.`);
    stop();
  });
  return child;
};

const watched = ['--watch', '--watch-preserve-output', '--import', 'tsx'];
const children: ChildProcess[] = [];
function stop(): void {
  for (const child of children) if (child.exitCode === null) child.kill('SIGTERM');
}
process.once('SIGINT', stop).once('SIGTERM', stop);
children.push(
  start('The service', [...watched, 'src/cli/main.ts', 'serve', '--migrate']),
  start('The console', ['node_modules/vite/bin/vite.js', '--config', 'src/console/vite.config.ts']),
);

/**
 * `npm run dev`: runs the service from source on its usual port, and restarts it when a source file changes. The web
 * console has hot reload on port 5173 and passes `/api` on to the service. Ctrl-C ends both.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Exit code of a program that Ctrl-C ended. */
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

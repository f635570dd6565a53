/**
 * Loaded before the program: on SIGUSR2 it collects what nobody uses, and writes what is left to `memory-PID.json` in
 * the working folder. What the system counts for a process also has garbage in it, as much as the collector liked.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  const file = `memory-${process.pid}.json`;
  writeFileSync(`${file}.part`, JSON.stringify(process.memoryUsage()));
  renameSync(`${file}.part`, file);
});

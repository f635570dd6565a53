import { findServer } from '../support/test-server.js';

/**
 * Whether a program is installed that a test of the files for deployments needs. Where it isn't, that is said; with
 * REQUIRE_DEPLOYMENT=1 it is a failure.
 */
export function isInstalled(program: string): boolean {
  if (findServer([program])) return true;
  if (process.env.REQUIRE_DEPLOYMENT === '1') throw new Error(`REQUIRE_DEPLOYMENT is set, and there is no ${program}.`);
  console.log(`NOT RUN: tests that need ${program}, which is not installed.`);
  return false;
}

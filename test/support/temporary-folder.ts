import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Creates a folder for a test's files, below the system's temporary folder. */
export function temporaryFolder(): { path: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-'));
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

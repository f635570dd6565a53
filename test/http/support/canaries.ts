import { readdirSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { Response } from 'supertest';
import type { Contract } from '../../../src/http/api/operations/contract.js';
import type { Context } from '../../../src/services/context.js';
import { factoryPassword } from '../../support/factories.js';

/** Secrets that must not appear anywhere. */
export const canaries = {
  password: 'canary-password-7f3a',
  wrongPassword: 'canary-guess-91bc',
  newPassword: 'canary-next-4e2d',
  cell: 'canarycell5d0e',
  token: 'canary-token-c8a1',
  query: 'canary-query-33b7',
  /** Credentials of `Authorization: Basic`. */
  basic: Buffer.from('canary:canary-basic-55e0').toString('base64'),
  /** Password of all accounts. */
  rightPassword: factoryPassword,
} as const;

/** Formats of hashes and tokens. */
const hash = /\$2[aby]\$\d\d\$/;
const token = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/;

/** Responses that return a token as documented. */
const documented: Partial<Record<keyof Contract, RegExp>> = {
  setup: token,
  login: token,
  traineeLogin: token,
  // This token may be in the cookie, but not in the body.
  startWebSession: new RegExp(`"set-cookie":\\["__Host-coursectl=${token.source}`),
};

/** Tables that must not contain secrets. `users` is missing: it stores password hashes. */
const tables = [
  ...['account_words', 'course_words', 'audit_entries', 'imports', 'login_throttle', 'sessions', 'files', 'courses'],
  'enrollments',
];

/** Returns the generated passwords that a response shows as documented. */
function issuedIn({ status, body, text }: Response, name: keyof Contract | undefined): string[] {
  if (status !== 200) return [];
  if (name === 'resetPassword') return [String((body as { temporaryPassword?: string }).temporaryPassword)];
  if (name !== 'importCredentials') return [];
  const rows = parse(text, { columns: true, bom: true }) as { password?: string }[];
  return rows.map(({ password }) => String(password));
}

/** Searches all output of the service for secrets. */
export class LeakDetector {
  /** Lines of the log, of all levels, that are not checked yet. */
  readonly lines: string[] = [];
  /** Found secrets with their places. */
  readonly leaks: string[] = [];
  loggedLines = 0;
  requests = 0;
  /** Statuses of all checked responses. */
  readonly statuses = new Set<number>();
  /** Operations with a response. */
  readonly operations = new Set<string>();
  /** Generated passwords that the service has shown already. They must not appear again. */
  readonly issued = new Set<string>();

  constructor(private readonly context: Context) {}

  private check(where: string, text: string, allowed?: RegExp, shown: readonly string[] = []): void {
    const found = Object.entries(canaries).flatMap(([name, word]) => (text.includes(word) ? [name] : []));
    if (hash.test(text)) found.push('a hash');
    if (token.test(allowed ? text.replace(allowed, '') : text)) found.push('a token');
    if ([...this.issued].some((password) => !shown.includes(password) && text.includes(password)))
      found.push('a generated password');
    this.leaks.push(...found.map((what) => `${what} in ${where}`));
  }

  /** Checks a response. @param name its operation @param during the current fault */
  checkResponse(name: keyof Contract | undefined, during: string, response: Response): void {
    this.requests += 1;
    this.statuses.add(response.status);
    if (name) this.operations.add(name);
    const where = `response of ${name} (${response.status}, ${during})`;
    // These passwords are allowed: after a fault, the client may download the file again.
    const shown = issuedIn(response, name);
    this.check(where, `${JSON.stringify(response.headers)} ${response.text}`, name && documented[name], shown);
    for (const password of shown) this.issued.add(password);
  }

  /** Checks the log so far. */
  checkLog(during: string): void {
    for (const line of this.lines.splice(0)) {
      this.loggedLines += 1;
      this.check(`a log line (${during}): ${line.slice(0, 300)}`, line);
    }
  }

  /** Checks rows, file names and the log. */
  async checkEverything(during: string): Promise<void> {
    const { database, config } = this.context;
    for (const table of tables) {
      const [found] = await database.sequelize.query(`SELECT * FROM ${table}`);
      this.check(`a row of ${table} (${during})`, JSON.stringify(found));
    }
    this.check(`a file name (${during})`, readdirSync(config.dataDir, { recursive: true }).join('\n'));
    this.checkLog(during);
  }

  /** Runs work, and collects output that bypasses the logger. */
  async captureOutput(work: () => Promise<void>): Promise<void> {
    const kept = { stdout: process.stdout.write, stderr: process.stderr.write };
    for (const name of ['stdout', 'stderr'] as const)
      process[name].write = (chunk: string | Uint8Array) => {
        this.lines.push(chunk.toString());
        return true;
      };
    try {
      await work();
    } finally {
      process.stdout.write = kept.stdout;
      process.stderr.write = kept.stderr;
    }
  }
}

import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Context } from '../../../src/context.js';
import type { Contract } from '../../../src/http/api/contract.js';
import { uploadsFolder } from '../../../src/services/files/files.js';
import { diskFault } from '../../../src/storage/disk-fault.js';
import type { FileStorage } from '../../../src/storage/storage.js';
import { canaries } from './canaries.js';

/** A fault of the service during requests. */
export interface Fault {
  name: string;
  /** The program that receives them. */
  faulty: Context;
  /** The operations that can't do without what is missing. */
  concerns?: readonly (keyof Contract)[];
  /** Begins once the example is prepared, ends by what it returns. */
  begin?(): Promise<() => Promise<void>>;
}

/** Tables with triggers that refuse every write of accounts, sessions and the rest: errors that carry the whole statement. */
const guardedTables = ['users', 'sessions', 'login_throttle', 'imports', 'courses', 'enrollments', 'files'];

export async function refuseWrites(
  { database }: Context,
  tables: readonly string[] = guardedTables,
): Promise<() => Promise<void>> {
  const isSqlite = database.sequelize.getDialect() === 'sqlite';
  const triggers = tables.flatMap((table) => ['INSERT', 'UPDATE'].map((event) => ({ table, event })));
  const nameOf = ({ table, event }: (typeof triggers)[number]) => `refuse_${table}_${event.toLowerCase()}`;
  for (const trigger of triggers) {
    const refusal = isSqlite
      ? "BEGIN SELECT RAISE(FAIL, 'a fault of the database'); END"
      : "FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'a fault of the database'";
    await database.sequelize.query(
      `CREATE TRIGGER ${nameOf(trigger)} BEFORE ${trigger.event} ON ${trigger.table} ${refusal}`,
    );
  }
  return async () => {
    for (const trigger of triggers) await database.sequelize.query(`DROP TRIGGER ${nameOf(trigger)}`);
  };
}

/** Takes a table away, so that every statement on it fails. */
const hide = (table: string) => async (context: Context) => {
  const { sequelize } = context.database;
  await sequelize.query(`ALTER TABLE ${table} RENAME TO ${table}_hidden`);
  return async () => void (await sequelize.query(`ALTER TABLE ${table}_hidden RENAME TO ${table}`));
};

/** Puts a file where uploads should go. */
async function blockUploads(context: Context): Promise<() => Promise<void>> {
  const folder = uploadsFolder(context);
  const aside = `${folder}-aside`;
  const isThere = existsSync(folder);
  if (isThere) renameSync(folder, aside);
  writeFileSync(folder, 'in the way');
  return async () => {
    rmSync(folder);
    if (isThere) renameSync(aside, folder);
  };
}

/** A bug, with all that an error may carry. */
function thrown(): never {
  throw Object.assign(new TypeError('a bug'), {
    sql: `INSERT ... '${canaries.password}'`,
    parameters: [canaries.newPassword],
    password: canaries.password,
    original: new Error(canaries.password),
    config: { headers: { authorization: canaries.token } },
  });
}

/** The program with a bug in a part that every login and every change of a password needs. */
function buggy(context: Context): Context {
  const hasher = { ...context.hasher, compare: async () => thrown(), hash: async () => thrown() };
  // A getter that makes the secret when it is asked for stays one.
  return Object.create(context, { hasher: { value: hasher } }) as Context;
}

/** The program on a disk without space for files. */
function full(context: Context): Context {
  const { storage } = context;
  const fullStorage: FileStorage = {
    location: storage.location,
    async put(_key, file) {
      await rm(file, { force: true });
      const error = new Error(`ENOSPC: no space left on device, write '${file}'`);
      throw diskFault(storage.location, Object.assign(error, { code: 'ENOSPC' }));
    },
    open: (key) => storage.open(key),
    remove: (keys) => storage.remove(keys),
    list: (kind) => storage.list(kind),
    check: () => storage.check(),
    close: () => storage.close(),
  };
  return Object.create(context, { storage: { value: fullStorage } }) as Context;
}

/** The ways in which requests end, and what each must be answered with, for it to be what it says. */
export const faults: Readonly<
  Record<string, { statuses: readonly number[]; of(context: Context): Omit<Fault, 'name'> }>
> = {
  'all well': { statuses: [200, 201, 202, 400, 401], of: (context) => ({ faulty: context }) },
  'writes refused by the database': {
    statuses: [500],
    of: (context) => ({ faulty: context, begin: () => refuseWrites(context) }),
  },
  'the audit trail gone': {
    statuses: [500],
    of: (context) => ({ faulty: context, begin: () => hide('audit_entries')(context) }),
  },
  'the table of failed logins gone': {
    statuses: [500],
    of: (context) => ({ faulty: context, concerns: ['login'], begin: () => hide('login_throttle')(context) }),
  },
  'the sessions gone': {
    statuses: [500],
    of: (context) => ({ faulty: context, begin: () => hide('sessions')(context) }),
  },
  'a file in the way of uploads': {
    statuses: [503],
    of: (context) => ({ faulty: context, concerns: ['setAvatar', 'createImport'], begin: () => blockUploads(context) }),
  },
  'a full disk': {
    statuses: [507],
    of: (context) => ({ faulty: full(context), concerns: ['setAvatar', 'addMaterial'] }),
  },
  'a bug': { statuses: [500], of: (context) => ({ faulty: buggy(context), concerns: ['changePassword'] }) },
};

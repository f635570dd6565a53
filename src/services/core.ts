import type { Transaction } from 'sequelize';
import type { Config } from '../config/config.js';
import type { Database } from '../db/connection.js';
import type { Account } from '../db/models/user.js';
import type { Logger } from '../logger.js';
import type { Role } from '../schemas/fields.js';
import type { ImagePreparer } from '../storage/images.js';
import type { FileStorage } from '../storage/storage.js';
import type { PasswordHasher } from './credentials/passwords.js';
import type { Tokens } from './credentials/tokens.js';
import type { FreedSeats } from './freed-seats.js';

/** The dependencies of every service. */
export interface Core {
  config: Config;
  database: Database;
  /** Courses whose waiting lists changes have made due. */
  freedSeats: FreedSeats;
  logger: Logger;
  hasher: PasswordHasher;
  /** Made on first use: most commands need no signing secret. */
  tokens: Promise<Tokens>;
  storage: FileStorage;
  images: ImagePreparer;
  /** The user of the operating system, as the author of changes at the terminal; null where it isn't known. */
  osUser: string | null;
  /** The current time; tests inject it. */
  now: () => Date;
  /** The time of the database, for moments that several instances compare; tests move it. */
  databaseNow: (transaction?: Transaction) => Promise<Date>;
}

/** The client of a request, as stored in sessions and the audit log. */
export interface Client {
  ip: string | null;
  userAgent: string | null;
}

/** A signed-in caller of the API. */
export interface Caller extends Client {
  user: Account;
  sessionId: string;
  sessionExpiresAt: Date;
}

/** On whose behalf something is read or changed. Only super admins may have no account: the operator at the terminal has none. */
export type Identity =
  | { role: 'super_admin'; actorId: string | null }
  | { role: Exclude<Role, 'super_admin'>; actorId: string };

/** The author of a privileged change: a caller of the API, or the operator at the terminal. */
export type Actor = Identity & {
  origin: 'http' | 'cli';
  ip: string | null;
  /** The session that the change is made with; what it began may go on without it. */
  sessionId?: string;
};

/** The service itself, as the author of what follows from changes of others. */
export const programAuthor = { origin: 'program', actorId: null, ip: null } as const;

/** Whose changes the audit log records. */
export type Author = Actor | typeof programAuthor;

/** The operator at the terminal, who has all rights. */
export const operator: Actor = { origin: 'cli', actorId: null, ip: null, role: 'super_admin' };

/** The caller of the API as the author of a change. */
export function actorOf(caller: Caller): Actor {
  const { user, ip, sessionId } = caller;
  return { origin: 'http', actorId: user.id, ip, role: user.role, sessionId };
}

/** The author of what goes on when their session has ended. */
export function withoutSession({ sessionId: _, ...author }: Actor): Actor {
  return author;
}

/** For whom work waits in queues that are fair between accounts. Operators at terminals, who have no account, share one turn. */
export const queueOwnerOf = ({ actorId }: Identity): string => actorId ?? 'operator';

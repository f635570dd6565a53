import type { Transaction } from 'sequelize';
import type { Config } from '../config/config.js';
import type { Database } from '../db/connection.js';
import type { Account } from '../db/models/user.js';
import type { Logger } from '../logger.js';
import type { Role } from '../schemas/fields.js';
import type { SignInMethod } from '../schemas/identity.js';
import type { ImagePreparer } from '../storage/images.js';
import type { FileStorage } from '../storage/storage.js';
import type { PasswordHasher } from './credentials/passwords.js';
import type { Tokens } from './credentials/tokens.js';
import type { FreedSeats } from './freed-seats.js';

/** Dependencies of every service. */
export interface Core {
  config: Config;
  database: Database;
  /** Courses in which changes may have freed seats for the waiting list. */
  freedSeats: FreedSeats;
  logger: Logger;
  hasher: PasswordHasher;
  /** Created on first use: most commands need no signing secret. */
  tokens: Promise<Tokens>;
  storage: FileStorage;
  images: ImagePreparer;
  /** User of the operating system, as the author of changes at the terminal; null if unknown. */
  osUser: string | null;
  /** Returns the current time; tests inject it. */
  now: () => Date;
  /** Returns the time of the database, for moments that several instances compare; tests move it. */
  databaseNow: (transaction?: Transaction) => Promise<Date>;
}

/** Client of a request, as stored in sessions and the audit log. */
export interface Client {
  ip: string | null;
  userAgent: string | null;
}

/** Signed-in caller of the API. */
export interface Caller extends Client {
  user: Account;
  sessionId: string;
  sessionExpiresAt: Date;
  /** How the caller signed in. */
  method: SignInMethod;
}

/** Role and account of a reader or author. Only super admins may lack an account: the operator at the terminal has none. */
export type Identity =
  | { role: 'super_admin'; actorId: string | null }
  | { role: Exclude<Role, 'super_admin'>; actorId: string };

/** Author of a change: a caller of the API, or the operator at the terminal. */
export type Actor = Identity & {
  origin: 'http' | 'cli';
  ip: string | null;
  /** Session of the caller. Absent for work that may continue after the session has ended. */
  sessionId?: string;
};

/** The service itself, as the author of automatic changes. */
export const programAuthor = { origin: 'program', actorId: null, ip: null } as const;

/** Author of a change in the audit log. */
export type Author = Actor | typeof programAuthor;

/** The operator at the terminal, who has all rights. */
export const operator: Actor = { origin: 'cli', actorId: null, ip: null, role: 'super_admin' };

/** Returns a caller of the API as the author of a change. */
export function actorOf(caller: Caller): Actor {
  const { user, ip, sessionId } = caller;
  return { origin: 'http', actorId: user.id, ip, role: user.role, sessionId };
}

/** Returns the author for work that continues after the session has ended. */
export function withoutSession({ sessionId: _, ...author }: Actor): Actor {
  return author;
}

/** Returns the owner of work in queues that are fair between accounts. All operators at terminals count as one owner. */
export const queueOwnerOf = ({ actorId }: Identity): string => actorId ?? 'operator';

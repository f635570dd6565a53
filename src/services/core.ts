import type { Config } from '../config/config.js';
import type { Database } from '../db/connection.js';
import type { User } from '../db/models/user.js';
import type { Logger } from '../logger.js';
import type { Role } from '../schemas/fields.js';
import type { ImagePreparer } from '../storage/images.js';
import type { FileStorage } from '../storage/storage.js';
import type { PasswordHasher } from './auth/passwords.js';
import type { Tokens } from './auth/tokens.js';

/** What every service works with. */
export interface Core {
  config: Config;
  database: Database;
  logger: Logger;
  hasher: PasswordHasher;
  tokens: Tokens;
  storage: FileStorage;
  images: ImagePreparer;
  /** The time; injected by tests. */
  now: () => Date;
}

/** Where a request came from, as sessions and the audit log keep it. */
export interface Client {
  ip: string | null;
  userAgent: string | null;
}

/** A signed-in caller of the API. */
export interface Caller extends Client {
  user: User;
  sessionId: string;
}

/** Who answers for a privileged change: a caller of the API, or the operator at the terminal. */
export interface Actor {
  origin: 'http' | 'cli';
  actorId: string | null;
  ip: string | null;
  role: Role;
}

/** The operator at the terminal, who has the database's own rights. */
export const operator: Actor = { origin: 'cli', actorId: null, ip: null, role: 'super_admin' };

/** Who answers for what a caller of the API changes. */
export function actorOf(caller: Caller): Actor {
  return { origin: 'http', actorId: caller.user.id, ip: caller.ip, role: caller.user.role };
}

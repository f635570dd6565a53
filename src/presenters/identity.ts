import type { Identity } from '../db/models/identity.js';
import { pick } from './pick.js';

export const presentIdentity = (identity: Identity) =>
  pick(identity, ['id', 'issuer', 'subject', 'email', 'linkedBy', 'createdAt', 'lastUsedAt']);

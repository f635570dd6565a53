import bcrypt from 'bcryptjs';

/** Runs in a worker thread, so blocking is harmless. */
export function hash({ password, cost }: { password: string; cost: number }): string {
  return bcrypt.hashSync(password, cost);
}

/** Returns false also for an invalid hash. */
export function compare({ password, hash: stored }: { password: string; hash: string }): boolean {
  try {
    return bcrypt.compareSync(password, stored);
  } catch {
    // bcryptjs throws for an invalid hash of the correct length.
    return false;
  }
}

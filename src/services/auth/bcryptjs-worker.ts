import bcrypt from 'bcryptjs';

/** Runs in a worker thread, where blocking does no harm. */
export function hash({ password, cost }: { password: string; cost: number }): string {
  return bcrypt.hashSync(password, cost);
}

/** False as well for a hash that isn't one. */
export function compare({ password, hash: stored }: { password: string; hash: string }): boolean {
  try {
    return bcrypt.compareSync(password, stored);
  } catch {
    // What bcryptjs makes of a text of a hash's length that isn't one.
    return false;
  }
}

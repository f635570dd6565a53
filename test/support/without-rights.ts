/** Runs work as another user where the tests run as root, who may read and write anything. */
export async function withoutRights<T>(work: () => Promise<T>): Promise<T> {
  const superuser = process.getuid?.() === 0;
  if (superuser) process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    if (superuser) process.seteuid?.(0);
  }
}

import { Database } from '../../src/db/sqlite-driver.js';

/** Another writer of an SQLite file, one that waits for nobody. */
export async function otherWriter(file: string) {
  let connection: Database | undefined;
  await new Promise<void>((resolve, reject) => {
    connection = new Database(file, 0, (error) => (error ? reject(error) : resolve()));
  });
  return {
    run: (sql: string) =>
      new Promise<void>((resolve, reject) => connection?.run(sql, (error) => (error ? reject(error) : resolve()))),
    close: () => new Promise<void>((resolve) => connection?.close(() => resolve())),
  };
}

import type { Sequelize } from 'sequelize';

/**
 * Calls `onStatement` with every statement; `false` ends the calls. Sequelize reads its own options at each statement,
 * which its types hide.
 * @param onStatement also gets the id of the transaction, or `default` outside of transactions
 */
export function observeStatements(
  sequelize: Sequelize,
  onStatement: false | ((sql: string, transaction: string | undefined) => void),
): void {
  const { options } = sequelize as unknown as { options: { logging: unknown } };
  options.logging =
    onStatement &&
    ((text: string) => {
      const [prefix = '', transaction] = /^Executing \((.*?)\): /.exec(text) ?? [];
      onStatement(text.slice(prefix.length), transaction);
    });
}

/**
 * Runs work.
 * @returns the result and the statements of the work
 */
export async function statementsOf<T>(sequelize: Sequelize, work: () => PromiseLike<T>) {
  const statements: string[] = [];
  observeStatements(sequelize, (sql) => void statements.push(sql));
  try {
    return { result: await work(), statements };
  } finally {
    observeStatements(sequelize, false);
  }
}

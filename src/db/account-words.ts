import { QueryTypes, type Sequelize, type Transaction } from 'sequelize';

/** The rows of a statement: SQLite bounds how deep an expression is. */
const statementRows = 100;

/** Deletes words of accounts, as far as they are stored. */
export async function deleteWords(
  sequelize: Sequelize,
  rows: readonly { word: string; accountId: string }[],
  transaction: Transaction,
): Promise<void> {
  for (let at = 0; at < rows.length; at += statementRows) {
    // Not as pairs: MariaDB finds those without the index.
    const these = rows
      .slice(at, at + statementRows)
      .map(
        ({ word, accountId }) => `(word = ${sequelize.escape(word)} AND account_id = ${sequelize.escape(accountId)})`,
      );
    await sequelize.query(`DELETE FROM account_words WHERE ${these.join(' OR ')}`, {
      type: QueryTypes.DELETE,
      transaction,
    });
  }
}

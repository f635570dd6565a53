import { setImmediate as nextTick } from 'node:timers/promises';
import {
  type CreationAttributes,
  type Model,
  type ModelStatic,
  QueryTypes,
  type Sequelize,
  type Transaction,
} from 'sequelize';
import { type ColumnValue, sqlLiteral } from '../dialect.js';

/**
 * Maximum characters of a statement, unless a single row is longer. Below the packet size of every server and SQLite's
 * statement length. Also below 128 KiB if V8 stores two bytes for each character, as with characters beyond Latin-1. V8
 * allocates a longer string separately, which takes 1 ms.
 */
const statementCharacters = 60_000;

/** Maximum characters of the first statement. It is short, so that the database starts to work early. */
const firstStatementCharacters = 6_000;

/**
 * Inserts rows into one table after the other within a transaction, with as few statements as possible. Several times as
 * fast as Sequelize's bulkCreate, because it builds no model instances and validates nothing. So rows must be complete
 * and valid. Builds each statement while the database executes the previous one. Do nothing else in the transaction until
 * {@link finish} resolves.
 */
export class BulkInserter {
  readonly transaction: Transaction;
  #pending: Promise<unknown> = Promise.resolve();
  #maxCharacters = firstStatementCharacters;

  constructor(transaction: Transaction) {
    this.transaction = transaction;
  }

  /**
   * Adds rows. Resolves when the last statement is sent.
   * @param rows all with the same attributes; each row is read when its statement is built
   */
  async add<M extends Model>(model: ModelStatic<M>, rows: Iterable<CreationAttributes<M>>): Promise<void> {
    const iterator = rows[Symbol.iterator]();
    const first = iterator.next();
    const { sequelize } = model;
    if (first.done || !sequelize) return;
    const definitions = model.getAttributes();
    // TypeScript types keys of objects as string.
    const attributes = Object.keys(first.value) as (keyof typeof definitions & keyof typeof first.value)[];
    const columns = attributes.map((attribute) => definitions[attribute].field ?? String(attribute));
    function* values(): Generator<ColumnValue[]> {
      for (let next: typeof first = first; !next.done; next = iterator.next()) {
        const row = next.value;
        if (Object.keys(row).length !== attributes.length)
          throw new Error('The rows of an insert have different attributes.');
        yield attributes.map((attribute) => row[attribute] as ColumnValue);
      }
    }
    await this.addValues(sequelize, model.tableName, columns, values());
  }

  /**
   * Adds rows to a table without a model. Resolves when the last statement is sent.
   * @param columns names in the table, never from outside the program
   * @param rows values in the order of the columns
   */
  async addValues(
    sequelize: Sequelize,
    table: string,
    columns: readonly string[],
    rows: Iterable<readonly ColumnValue[]>,
  ): Promise<void> {
    const start = `INSERT INTO \`${table}\` (${columns.map((column) => `\`${column}\``).join(', ')}) VALUES `;
    const literal = sqlLiteral(sequelize);
    let statement = '';
    for (const row of rows) {
      const values = `(${row.map(literal).join(',')})`;
      if (statement !== '' && statement.length + values.length > this.#maxCharacters) {
        await this.#send(sequelize, statement);
        statement = '';
      }
      statement += statement === '' ? start + values : `,${values}`;
    }
    if (statement !== '') await this.#send(sequelize, statement);
  }

  /**
   * Waits for the response to the previous statement, then sends this one. After a deadlock the server has ended the
   * transaction, and a statement sent too early would commit by itself.
   */
  async #send(sequelize: Sequelize, sql: string): Promise<void> {
    await this.#pending;
    this.#maxCharacters = statementCharacters;
    // With a type, Sequelize doesn't parse the statement to find its kind.
    this.#pending = sequelize.query(sql, { type: QueryTypes.INSERT, transaction: this.transaction });
    // Awaited before the next statement. Until then, a rejection must not count as unhandled.
    this.#pending.catch(() => undefined);
    await nextTick();
  }

  /** Resolves when all rows are inserted. */
  async finish(): Promise<void> {
    await this.#pending;
  }
}

export async function insertRows<M extends Model>(
  model: ModelStatic<M>,
  rows: Iterable<CreationAttributes<M>>,
  transaction: Transaction,
): Promise<void> {
  const inserts = new BulkInserter(transaction);
  await inserts.add(model, rows);
  await inserts.finish();
}

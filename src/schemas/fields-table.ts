import type Types from 'joi';

/** Content of a field's column. A new row has the default, unless it sets another value. */
export type FieldColumn =
  | {
      readonly type: 'text';
      readonly length: number;
      readonly default?: string;
      readonly nullable?: true;
      /** Rows may contain an empty text, even if no input accepts one. */
      readonly mayBeEmpty?: true;
    }
  | {
      readonly type: 'word';
      readonly length: number;
      readonly words: readonly string[];
      readonly default?: string;
      readonly nullable?: true;
    }
  | { readonly type: 'longText'; readonly size?: 'medium'; readonly nullable?: true }
  | {
      readonly type: 'number';
      readonly range?: readonly [least: number, most: number];
      readonly default?: number;
      readonly nullable?: true;
    }
  | { readonly type: 'date'; readonly nullable: true }
  /** Id of a row of another table. */
  | { readonly type: 'id'; readonly nullable: true }
  /** List of words, as JSON in a column that the model declares. */
  | { readonly type: 'list' }
  | { readonly type: 'flag'; readonly default: boolean }
  | { readonly type: 'moment'; readonly nullable?: true };

/** Whether an input must have the field. An absent defaulted field gets the default of its column. */
export type FieldRequirement = 'required' | 'optional' | 'defaulted';

interface StoredField {
  readonly column: FieldColumn;
}
export type StoredFields = Readonly<Record<string, StoredField>>;

export interface FieldDeclaration<Input extends string = string> extends StoredField {
  /** Schema of a given value; omitted if no input accepts the field. */
  readonly schema?: () => Types.Schema;
  /** Inputs that accept the field. */
  readonly inputs: Readonly<Partial<Record<Input, FieldRequirement>>>;
}

/** Fields of an account, a course, ..., each declared once. */
export type FieldsTable = Readonly<Record<string, FieldDeclaration>>;

type Value<Column extends FieldColumn> =
  | (Column extends { words: readonly (infer Word)[] }
      ? Word
      : {
          text: string;
          longText: string;
          word: string;
          /** `YYYY-MM-DD`. */
          date: string;
          id: string;
          list: string[];
          number: number;
          flag: boolean;
          moment: Date;
        }[Column['type']])
  | (Column extends { nullable: true } ? null : never);

export type ValuesOf<Table extends StoredFields> = { -readonly [Field in keyof Table]: Value<Table[Field]['column']> };

/** Fields that have a default in a new row. */
export type DefaultedFieldOf<Table extends StoredFields> = {
  [Field in keyof Table]: Table[Field]['column'] extends { default: unknown } | { nullable: true } ? Field : never;
}[keyof Table];

export type ListFieldOf<Table extends StoredFields> = {
  [Field in keyof Table]: Table[Field]['column'] extends { type: 'list' } ? Field : never;
}[keyof Table];

/** Fields that an input accepts, optionally only those with a requirement. */
export type InputFieldOf<
  Table extends FieldsTable,
  From extends string,
  As extends FieldRequirement = FieldRequirement,
> = {
  [Field in keyof Table]: Table[Field]['inputs'] extends Readonly<Record<From, As>> ? Field : never;
}[keyof Table] &
  string;

/** Values of a valid input. */
export type InputValues<Table extends FieldsTable, From extends string> = Pick<
  ValuesOf<Table>,
  InputFieldOf<Table, From, 'required' | 'defaulted'>
> &
  Partial<Pick<ValuesOf<Table>, InputFieldOf<Table, From, 'optional'>>>;

type FieldWith<Table extends FieldsTable, Use extends string> = {
  [Field in keyof Table]: Table[Field] extends Readonly<Record<Use, true>> ? Field : never;
}[keyof Table] &
  string;

type InputOf<Table extends FieldsTable> = {
  [Field in keyof Table]: keyof Table[Field]['inputs'];
}[keyof Table] &
  string;

/** Returns the default of a field; undefined if the field has none. */
export function defaultOf(column: FieldColumn): string | number | boolean | null | undefined {
  if ('default' in column) return column.default;
  return 'nullable' in column ? null : undefined;
}

/** Returns the default values of a new row. */
export const defaultsOf = <Table extends StoredFields>(table: Table) =>
  // Object.fromEntries loses the types of the keys.
  Object.fromEntries(
    Object.entries(table).flatMap(([name, { column }]) => {
      const value = defaultOf(column);
      return value === undefined ? [] : [[name, value]];
    }),
  ) as Pick<ValuesOf<Table>, DefaultedFieldOf<Table>>;

export const fieldNames = <Table extends StoredFields>(table: Table) =>
  // TypeScript types the keys of any object as strings.
  Object.keys(table) as (keyof Table & string)[];

/** Returns the fields whose declaration has a true property, such as `audited`. */
export const fieldsWith = <Table extends FieldsTable, Use extends string>(table: Table, use: Use) =>
  fieldNames(table).filter((name): name is FieldWith<Table, Use> => Reflect.get(table[name] ?? {}, use) === true);

/** Returns functions that derive the inputs of a table. */
export function inputsOf<const Table extends FieldsTable>(table: Table) {
  const requirementOf = (name: keyof Table, from: string): FieldRequirement | undefined => table[name]?.inputs[from];

  const inputFields = <From extends InputOf<Table>>(from: From) =>
    fieldNames(table).filter((name): name is InputFieldOf<Table, From> => requirementOf(name, from) !== undefined);

  const requiredFields = <From extends InputOf<Table>>(from: From) =>
    fieldNames(table).filter(
      (name): name is InputFieldOf<Table, From, 'required'> => requirementOf(name, from) === 'required',
    );

  function keyOf(name: string, from: string, adapt: (schema: Types.Schema) => Types.Schema): Types.Schema {
    const { column, schema: build } = table[name] ?? {};
    if (!column || !build) throw new Error(`The field ${name} has no schema, but the input ${from} accepts it.`);
    const requirement = requirementOf(name, from);
    if (requirement === 'required') return build().required();
    // An input may also empty a text whose default is empty.
    const schema = defaultOf(column) === '' ? build().allow('') : build();
    return requirement === 'defaulted' ? schema.default(defaultOf(column)) : adapt(schema);
  }

  /**
   * Returns the keys of the schema of an input.
   * @param adapt changes the schema of an optional field for this input
   */
  const inputKeys = <From extends InputOf<Table>>(
    from: From,
    adapt: (schema: Types.Schema) => Types.Schema = (schema) => schema,
  ) =>
    // Object.fromEntries loses the types of the keys.
    Object.fromEntries(inputFields(from).map((name) => [name, keyOf(name, from, adapt)])) as Record<
      InputFieldOf<Table, From>,
      Types.Schema
    >;

  return { inputFields, requiredFields, inputKeys };
}

/** Orders the keys of a schema: the keys in `first`, then all others. The schema reports problems in this order. */
export const orderKeys = (first: readonly string[], keys: Readonly<Record<string, Types.Schema>>) =>
  Object.fromEntries([...first, ...Object.keys(keys)].map((name) => [name, keys[name]]));

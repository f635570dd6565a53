import type Types from 'joi';

/** What the column of a field holds. A new row that doesn't say otherwise has the default. */
export type FieldColumn =
  | {
      readonly type: 'text';
      readonly length: number;
      readonly default?: string;
      readonly nullable?: true;
      /** Rows may have nothing in it, though no input says so by itself. */
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
  /** Of a row of another table. */
  | { readonly type: 'id'; readonly nullable: true }
  /** Of words: JSON in a column that the model declares. */
  | { readonly type: 'list' }
  | { readonly type: 'flag'; readonly default: boolean }
  | { readonly type: 'moment'; readonly nullable?: true };

/** Whether an input must have the field; a defaulted one has the default of the column when it is absent. */
export type FieldRequirement = 'required' | 'optional' | 'defaulted';

/** A field of the rows of one kind. */
interface StoredField {
  readonly column: FieldColumn;
}
export type StoredFields = Readonly<Record<string, StoredField>>;

export interface FieldDeclaration<Input extends string = string> extends StoredField {
  /** What a value must be that is given; none where no input takes the field. */
  readonly schema?: () => Types.Schema;
  /** Which inputs take the field. */
  readonly inputs: Readonly<Partial<Record<Input, FieldRequirement>>>;
}

/** The fields of an account, a course, ..., each declared once. */
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

/** The fields of a table with their values. */
export type ValuesOf<Table extends StoredFields> = { -readonly [Field in keyof Table]: Value<Table[Field]['column']> };

/** The fields that a row has from the beginning without anybody giving them. */
export type DefaultedFieldOf<Table extends StoredFields> = {
  [Field in keyof Table]: Table[Field]['column'] extends { default: unknown } | { nullable: true } ? Field : never;
}[keyof Table];

export type ListFieldOf<Table extends StoredFields> = {
  [Field in keyof Table]: Table[Field]['column'] extends { type: 'list' } ? Field : never;
}[keyof Table];

/** The fields that an input takes, or of these those that it needs so. */
export type InputFieldOf<
  Table extends FieldsTable,
  From extends string,
  As extends FieldRequirement = FieldRequirement,
> = {
  [Field in keyof Table]: Table[Field]['inputs'] extends Readonly<Record<From, As>> ? Field : never;
}[keyof Table] &
  string;

/** What a valid input says of a row. */
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

/** What a field is when nobody has given it; nothing for one that must be given. */
export function defaultOf(column: FieldColumn): string | number | boolean | null | undefined {
  if ('default' in column) return column.default;
  return 'nullable' in column ? null : undefined;
}

/** The fields of a row that nobody has given anything of. */
export const defaultsOf = <Table extends StoredFields>(table: Table) =>
  // Object.fromEntries forgets which keys it was given.
  Object.fromEntries(
    Object.entries(table).flatMap(([name, { column }]) => {
      const value = defaultOf(column);
      return value === undefined ? [] : [[name, value]];
    }),
  ) as Pick<ValuesOf<Table>, DefaultedFieldOf<Table>>;

/** The names of the fields. */
export const fieldNames = <Table extends StoredFields>(table: Table) =>
  // TypeScript types the keys of any object as text.
  Object.keys(table) as (keyof Table & string)[];

/** The fields for which a property of the row, such as `audited`, is true. */
export const fieldsWith = <Table extends FieldsTable, Use extends string>(table: Table, use: Use) =>
  fieldNames(table).filter((name): name is FieldWith<Table, Use> => Reflect.get(table[name] ?? {}, use) === true);

/** What the inputs of a table take. */
export function inputsOf<const Table extends FieldsTable>(table: Table) {
  const requirementOf = (name: keyof Table, from: string): FieldRequirement | undefined => table[name]?.inputs[from];

  /** The names of the fields that an input takes. */
  const inputFields = <From extends InputOf<Table>>(from: From) =>
    fieldNames(table).filter((name): name is InputFieldOf<Table, From> => requirementOf(name, from) !== undefined);

  /** Those that it must have. */
  const requiredFields = <From extends InputOf<Table>>(from: From) =>
    fieldNames(table).filter(
      (name): name is InputFieldOf<Table, From, 'required'> => requirementOf(name, from) === 'required',
    );

  function keyOf(name: string, from: string, adapt: (schema: Types.Schema) => Types.Schema): Types.Schema {
    const { column, schema: build } = table[name] ?? {};
    if (!column || !build) throw new Error(`The field ${name} has no schema, but is taken by the input ${from}.`);
    const requirement = requirementOf(name, from);
    if (requirement === 'required') return build().required();
    // A text that may be missing may also be emptied.
    const schema = defaultOf(column) === '' ? build().allow('') : build();
    return requirement === 'defaulted' ? schema.default(defaultOf(column)) : adapt(schema);
  }

  /**
   * The keys of the schema of an input.
   * @param adapt the schema of an optional field, as this input takes it
   */
  const inputKeys = <From extends InputOf<Table>>(
    from: From,
    adapt: (schema: Types.Schema) => Types.Schema = (schema) => schema,
  ) =>
    // Object.fromEntries forgets which keys it was given.
    Object.fromEntries(inputFields(from).map((name) => [name, keyOf(name, from, adapt)])) as Record<
      InputFieldOf<Table, From>,
      Types.Schema
    >;

  return { inputFields, requiredFields, inputKeys };
}

/** The keys of a schema in the order in which their problems are reported: those named, then the others. */
export const orderKeys = (first: readonly string[], keys: Readonly<Record<string, Types.Schema>>) =>
  Object.fromEntries([...first, ...Object.keys(keys)].map((name) => [name, keys[name]]));

import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { type AccountField, requiredFields } from '../../api/account-fields.js';

/** What browsers fill in for the person who owns the account. */
export const ownAutoComplete: Partial<Record<AccountField, string>> = {
  firstName: 'given-name',
  lastName: 'family-name',
  email: 'email',
  phone: 'tel',
};

const inputTypes: Partial<Record<AccountField, string>> = { email: 'email', phone: 'tel' };

interface AccountInputsProps<Field extends AccountField> {
  names: readonly Field[];
  /** The properties of a field's input, as the form gives them. */
  field(name: NoInfer<Field>): TextInputProps;
  autoComplete?: Partial<Record<AccountField, string>>;
  /** Further properties of inputs. */
  more?: Partial<Record<Field, TextInputProps>>;
  /** Inputs that are no text. */
  others?: Partial<Record<Field, ReactElement>>;
}

/** An input for each field of an account that a form has: text, unless it says otherwise. */
export function AccountInputs<Field extends AccountField>({
  names,
  field,
  autoComplete = {},
  more = {},
  others = {},
}: AccountInputsProps<Field>) {
  const { t } = useTranslation();
  return names.map(
    (name) =>
      others[name] ?? (
        <TextInput
          key={name}
          {...field(name)}
          type={inputTypes[name] ?? 'text'}
          label={t(`field.${name}`)}
          autoComplete={autoComplete[name] ?? 'off'}
          required={requiredFields.includes(name)}
          {...more[name]}
        />
      ),
  );
}

/** The values of some fields. */
export const valuesOf = <Source extends object, Field extends keyof Source>(
  source: Source,
  names: readonly Field[],
): Pick<Source, Field> =>
  // Object.fromEntries forgets which keys it was given.
  Object.fromEntries(names.map((name) => [name, source[name]])) as Pick<Source, Field>;

/** The fields that differ from what they were. */
export const changesBetween = <Values extends object>(before: Values, after: Values): Partial<Values> =>
  // Some of them.
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => value !== Reflect.get(before, name)),
  ) as Partial<Values>;

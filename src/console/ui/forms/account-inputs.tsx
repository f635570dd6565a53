import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { type AccountField, requiredFields } from '../../api/account-fields.js';

/** `autocomplete` values for a user's own account. */
export const ownAutoComplete: Partial<Record<AccountField, string>> = {
  firstName: 'given-name',
  lastName: 'family-name',
  email: 'email',
  phone: 'tel',
};

const inputTypes: Partial<Record<AccountField, string>> = { email: 'email', phone: 'tel' };

interface AccountInputsProps<Field extends AccountField> {
  names: readonly Field[];
  /** Returns the properties of a field's input: `field` of `useApiForm`. */
  field(name: NoInfer<Field>): TextInputProps;
  autoComplete?: Partial<Record<AccountField, string>>;
  /** Additional properties of inputs. */
  more?: Partial<Record<Field, TextInputProps>>;
  /** Inputs that replace the text input of a field. */
  others?: Partial<Record<Field, ReactElement>>;
}

/** Inputs for fields of an account: text inputs, except for `others`. */
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

export const valuesOf = <Source extends object, Field extends keyof Source>(
  source: Source,
  names: readonly Field[],
): Pick<Source, Field> =>
  // `Object.fromEntries` loses the types of the keys.
  Object.fromEntries(names.map((name) => [name, source[name]])) as Pick<Source, Field>;

export const changesBetween = <Values extends object>(before: Values, after: Values): Partial<Values> =>
  // The cast is safe, because the entries are a subset of `after`.
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => value !== Reflect.get(before, name)),
  ) as Partial<Values>;

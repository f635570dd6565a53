import { CloseButton, Combobox, InputBase, Loader, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

export interface SearchOption {
  value: string;
  label: string;
  /** What tells namesakes apart. */
  hint?: string;
}

/** What is chosen, by its id: the address knows no more, and lists have only what was searched for. */
export const chosenOption = (
  value: string | undefined,
  found: readonly SearchOption[] | undefined,
  known: SearchOption | undefined,
): SearchOption | undefined =>
  value === undefined
    ? undefined
    : ([...(found ?? []), ...(known ? [known] : [])].find((one) => one.value === value) ?? { value, label: value });

/** What the pickers of one kind of object share. */
export interface PickerProps {
  label: string;
  /** For filters: shown while nothing is chosen, instead of the label above. */
  placeholder?: string;
  /** Id of what is chosen. */
  value: string | undefined;
  onChange(id: string | undefined): void;
  required?: boolean;
  error?: ReactNode;
}

interface SearchSelectProps extends Pick<PickerProps, 'label' | 'placeholder' | 'required' | 'error'> {
  /** What is chosen; its label is shown. */
  chosen: SearchOption | undefined;
  onChoose(option: SearchOption | undefined): void;
  /** What the service found for the text that {@link onSearch} was given; undefined while it is asked. */
  options: readonly SearchOption[] | undefined;
  /** Called 300 ms after the last key. */
  onSearch(text: string): void;
}

/** Chooses one of more objects than a list can show: the service searches while one types. */
export function SearchSelect({ label, placeholder, chosen, onChoose, options, onSearch, ...props }: SearchSelectProps) {
  const { t } = useTranslation();
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const [text, setText] = useState(chosen?.label ?? '');
  const [asked] = useDebouncedValue(text, 300);
  useEffect(() => setText(chosen?.label ?? ''), [chosen?.label]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks when the text changes, not when the caller does
  useEffect(() => onSearch(asked === chosen?.label ? '' : asked.trim()), [asked]);

  return (
    <Combobox
      store={combobox}
      // The list is part of the dialog that the field is in, and of nothing that would cut it off.
      withinPortal={false}
      floatingStrategy="fixed"
      onOptionSubmit={(value) => {
        const option = options?.find((one) => one.value === value);
        onChoose(option);
        setText(option?.label ?? '');
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target withExpandedAttribute>
        <InputBase
          {...props}
          {...(placeholder === undefined ? { label } : { 'aria-label': label, placeholder })}
          value={text}
          miw={200}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            combobox.openDropdown();
            combobox.updateSelectedOptionIndex();
          }}
          onClick={() => combobox.openDropdown()}
          onFocus={({ currentTarget }) => currentTarget.select()}
          onBlur={() => {
            combobox.closeDropdown();
            setText(chosen?.label ?? '');
          }}
          rightSection={
            chosen ? (
              <CloseButton
                size={24}
                aria-label={t('action.clearOne', { name: label })}
                onClick={() => {
                  // The button goes.
                  combobox.focusTarget();
                  onChoose(undefined);
                }}
              />
            ) : (
              options === undefined && <Loader size={16} />
            )
          }
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={label} className="choice-list">
          {options?.map((option) => (
            <Combobox.Option key={option.value} value={option.value}>
              {option.label}
              {option.hint !== undefined && <span className="option-hint">{option.hint}</span>}
            </Combobox.Option>
          ))}
          {options?.length === 0 && <Combobox.Empty>{t('state.noMatch')}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

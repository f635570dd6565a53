import { CloseButton, Combobox, InputBase, Loader, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

export interface SearchOption {
  value: string;
  label: string;
  /** What tells namesakes apart. */
  hint?: string;
}

interface SearchSelectProps {
  label: string;
  /** What is chosen; its label is shown. */
  chosen: SearchOption | undefined;
  onChoose(option: SearchOption | undefined): void;
  /** What the service found for the text that {@link onSearch} was given; undefined while it is asked. */
  options: readonly SearchOption[] | undefined;
  /** Called 300 ms after the last key. */
  onSearch(text: string): void;
  required?: boolean;
}

/** Chooses one of more objects than a list can show: the service searches while one types. */
export function SearchSelect({ label, chosen, onChoose, options, onSearch, required = false }: SearchSelectProps) {
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
      portalProps={{ target: '#content' }}
      onOptionSubmit={(value) => {
        const option = options?.find((one) => one.value === value);
        onChoose(option);
        setText(option?.label ?? '');
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target withExpandedAttribute>
        <InputBase
          label={label}
          required={required}
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
                size="sm"
                aria-label={t('action.clearOne', { name: label })}
                onClick={() => onChoose(undefined)}
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

import { CloseButton, Combobox, InputBase, Loader, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

export interface SearchOption {
  value: string;
  label: string;
  /** Distinguishes options with the same label. */
  hint?: string;
}

/** Chosen option by its id. The URL has only the id, and search results may not include the option. */
export const chosenOption = (
  value: string | undefined,
  found: readonly SearchOption[] | undefined,
  known: SearchOption | undefined,
): SearchOption | undefined =>
  value === undefined
    ? undefined
    : ([...(found ?? []), ...(known ? [known] : [])].find((one) => one.value === value) ?? { value, label: value });

export interface PickerProps {
  label: string;
  /** For filters: shown while nothing is chosen, instead of a label above the field. */
  placeholder?: string;
  /** Id of the chosen object. */
  value: string | undefined;
  onChange(id: string | undefined): void;
  required?: boolean;
  error?: ReactNode;
}

interface SearchSelectProps extends Pick<PickerProps, 'label' | 'placeholder' | 'required' | 'error'> {
  /** Chosen option, whose label is shown. */
  chosen: SearchOption | undefined;
  onChoose(option: SearchOption | undefined): void;
  /** Results for the text of {@link onSearch}; undefined while loading. */
  options: readonly SearchOption[] | undefined;
  /** Called 300 ms after the last key. */
  onSearch(text: string): void;
}

/** Picker for one of many objects: the service searches while the user types. */
export function SearchSelect({ label, placeholder, chosen, onChoose, options, onSearch, ...props }: SearchSelectProps) {
  const { t } = useTranslation();
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  // While a search runs, its last results stay: a click on one of them must not be lost.
  const last = useRef(options);
  if (options) last.current = options;
  const shown = options ?? last.current;
  const [text, setText] = useState(chosen?.label ?? '');
  const [asked] = useDebouncedValue(text, 300);
  useEffect(() => setText(chosen?.label ?? ''), [chosen?.label]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the text changes, not for each render of the caller
  useEffect(() => onSearch(asked === chosen?.label ? '' : asked.trim()), [asked]);

  return (
    <Combobox
      store={combobox}
      // The list must be inside the dialog of the field, with a fixed position, so that nothing cuts it off.
      withinPortal={false}
      floatingStrategy="fixed"
      onOptionSubmit={(value) => {
        const option = shown?.find((one) => one.value === value);
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
                  // The focused button disappears, so the input gets the focus.
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
          {shown?.map((option) => (
            <Combobox.Option key={option.value} value={option.value}>
              {option.label}
              {option.hint !== undefined && <span className="option-hint">{option.hint}</span>}
            </Combobox.Option>
          ))}
          {options?.length === 0 && (
            <Combobox.Empty>{asked === '' ? t('state.empty') : t('state.noMatchOf', { text: asked })}</Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

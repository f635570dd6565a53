import { ActionIcon, Group, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { IconLanguage, IconSunMoon } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { changeLanguage, type Language, languages } from '../i18n/i18n.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { missingCodeText } from '../ui/messages.js';
import { useMissingCodeReason } from '../ui/missing-code.js';

const schemes = ['light', 'dark', 'auto'] as const;

/** Changes the language. `failed` is true after its translations could not be loaded, until `forget` is called. */
export function useLanguageChange() {
  const [failed, setFailed] = useState(false);
  /** @returns whether the language was changed */
  async function change(language: Language): Promise<boolean> {
    try {
      await changeLanguage(language);
      setFailed(false);
      return true;
    } catch (error) {
      reportError(error);
      setFailed(true);
      return false;
    }
  }
  return { change, failed, forget: () => setFailed(false) };
}

export function LanguageFailure({ failed }: { failed: boolean }) {
  const { t } = useTranslation();
  const reason = useMissingCodeReason(failed);
  return <FormFailure title={t('app.languageFailed')}>{reason && new Error(missingCodeText(reason, t))}</FormFailure>;
}

export function AppearanceMenu({ onLanguage }: { onLanguage(language: Language): void }) {
  const { t, i18n } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Group gap="xs" wrap="nowrap">
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('app.language')}>
            <IconLanguage size={20} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.RadioGroup value={i18n.language}>
            {Object.entries(languages).map(([code, name]) => (
              <Menu.RadioItem
                key={code}
                value={code}
                lang={code}
                closeMenuOnClick
                // Also for the shown language: it may not be stored yet. `languages` has no other keys.
                onClick={() => onLanguage(code as Language)}
              >
                {name}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </Menu.Dropdown>
      </Menu>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('app.colorScheme')}>
            <IconSunMoon size={20} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.RadioGroup
            value={colorScheme}
            // The items are all from `schemes`.
            onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
          >
            {schemes.map((scheme) => (
              <Menu.RadioItem key={scheme} value={scheme} closeMenuOnClick>
                {t(`app.${scheme}`)}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

import { ActionIcon, Group, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { IconLanguage, IconSunMoon } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { changeLanguage, type Language, languages } from '../i18n/i18n.js';

const schemes = ['light', 'dark', 'auto'] as const;

/** Language, and light or dark. */
export function AppearanceMenu() {
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
          <Menu.RadioGroup
            value={i18n.language}
            // `languages` has no other keys.
            onChange={(language) => void changeLanguage(language as Language)}
          >
            {Object.entries(languages).map(([code, name]) => (
              <Menu.RadioItem key={code} value={code} lang={code} closeMenuOnClick>
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
            // `schemes` are all that there are.
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

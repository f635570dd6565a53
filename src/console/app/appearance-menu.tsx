import { ActionIcon, Group, Menu, useMantineColorScheme } from '@mantine/core';
import { IconCheck, IconLanguage, IconSunMoon } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { changeLanguage, type Language, languages } from '../i18n/i18n.js';

const schemes = ['light', 'dark', 'auto'] as const;

/** Language, and light or dark. */
export function AppearanceMenu() {
  const { t, i18n } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const mark = (active: boolean) => active && <IconCheck size={14} aria-hidden />;
  return (
    <Group gap="xs" wrap="nowrap">
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('app.language')}>
            <IconLanguage size={20} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {Object.entries(languages).map(([code, name]) => (
            <Menu.Item
              key={code}
              lang={code}
              role="menuitemradio"
              aria-checked={i18n.language === code}
              rightSection={mark(i18n.language === code)}
              // `languages` has no other keys.
              onClick={() => void changeLanguage(code as Language)}
            >
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('app.colorScheme')}>
            <IconSunMoon size={20} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {schemes.map((scheme) => (
            <Menu.Item
              key={scheme}
              role="menuitemradio"
              aria-checked={colorScheme === scheme}
              rightSection={mark(colorScheme === scheme)}
              onClick={() => setColorScheme(scheme)}
            >
              {t(`app.${scheme}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

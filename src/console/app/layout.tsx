import { Avatar, Box, Burger, Group, Menu, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure, useWindowEvent } from '@mantine/hooks';
import { IconLogout, IconUserCircle } from '@tabler/icons-react';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { useApi, useChange } from '../api/queries.js';
import { AppearanceMenu, LanguageFailure, useLanguageChange } from '../appearance/appearance-menu.js';
import { Brand, PoweredBy } from '../appearance/brand.js';
import { Find } from '../find/find.js';
import type { Language } from '../i18n/i18n.js';
import { navigationOf } from '../session/navigation.js';
import { useSignOut, useUser } from '../session/session.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { useNarrowWindow } from '../ui/narrow-window.js';
import { useFocusRecovery } from './focus.js';

/** Frame of every page: navigation by role, account menu, and the page itself. */
export function Layout() {
  const { t } = useTranslation();
  const user = useUser();
  const { data: mail } = useApi('showForgotPassword', {}, { enabled: user.role === 'super_admin' });
  const [opened, { toggle, close }] = useDisclosure();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const isNarrow = useNarrowWindow();
  const menuButton = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes the menu when the page changes, also by Back
  useEffect(close, [pathname]);
  useWindowEvent('keydown', ({ key }) => {
    if (key !== 'Escape' || !opened) return;
    close();
    // The closed menu can't have the focus.
    menuButton.current?.focus();
  });
  function leaveMenu(): void {
    // The page under the menu can get the focus only after the menu is closed.
    flushSync(close);
    // A link to the current page opens nothing, so its heading doesn't get the focus by itself.
    if (opened) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }
  const signOut = useSignOut();
  const language = useLanguageChange();
  const preferences = useChange('changeMailPreferences', ['showMailPreferences']);
  /** Changes the language of the page and of mails. */
  async function setLanguage(chosen: Language): Promise<void> {
    if ((await language.change(chosen)) && chosen !== 'ar-XB') preferences.mutate({ body: { language: chosen } });
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: clears failures when the page changes
  useEffect(() => {
    signOut.reset();
    language.forget();
    preferences.reset();
  }, [pathname]);
  useFocusRecovery();
  return (
    <div className="frame">
      <a href="#content" className="skip-link">
        {t('app.skipToContent')}
      </a>
      <header className="frame-header">
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap" miw={0}>
            <Burger
              ref={menuButton}
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t('app.menu')}
              aria-expanded={opened}
            />
            <Brand narrow />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Find />
            <AppearanceMenu onLanguage={(chosen) => void setLanguage(chosen)} />
            <AccountMenu onSignOut={() => signOut.mutate()} />
          </Group>
        </Group>
      </header>
      <Box component="nav" className="frame-menu" p="xs" aria-label={t('app.menu')} data-opened={opened || undefined}>
        {navigationOf(user.role, mail?.available === true).map(({ to, label, icon: Icon }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: to === '/', includeSearch: false }}
            className="menu-link mantine-focus-auto"
            onClick={leaveMenu}
          >
            <Icon size={18} aria-hidden />
            {t(label)}
          </Link>
        ))}
        <PoweredBy />
      </Box>
      <Box component="main" id="content" className="frame-main" p="md" tabIndex={-1}>
        {/* Not `main` itself: it also contains the open menus of the header (theme.ts), which must stay usable. */}
        <div className="frame-page" inert={opened && isNarrow}>
          <LanguageFailure failed={language.failed} />
          <FormFailure title={t('app.languageNotKept')}>{preferences.error ?? undefined}</FormFailure>
          <FormFailure title={t('app.signOutFailed')}>{signOut.error ?? undefined}</FormFailure>
          <Outlet />
        </div>
      </Box>
    </div>
  );
}

function AccountMenu({ onSignOut }: { onSignOut(): void }) {
  const { t } = useTranslation();
  const { firstName, lastName, avatar, role } = useUser();
  const name = `${firstName} ${lastName}`;
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <UnstyledButton aria-label={t('app.account', { name })}>
          <span aria-hidden>
            <Avatar src={avatar} alt="" radius="xl" />
          </span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} truncate>
            {name}
          </Text>
          {t(`role.${role}`)}
        </Menu.Label>
        <Menu.Item component={Link} to="/profile" leftSection={<IconUserCircle size={16} aria-hidden />}>
          {t('app.profile')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={onSignOut}>
          {t('app.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { hasOwnName, programmeLogo, programmeName } from '../ui/programme.js';

/**
 * Logo and name of the programme.
 * @param narrow beside the logo, in at most two lines; else a long name is below the logo
 */
export function Brand({ narrow = false }: { narrow?: boolean }) {
  return (
    <Group gap="xs" wrap={narrow ? 'nowrap' : 'wrap'} miw={0} mih={34}>
      {programmeLogo && <img src={programmeLogo} alt="" className="programme-logo" />}
      <Text fw={650} dir="auto" {...(narrow && { lh: 1.25, lineClamp: 2 })}>
        {programmeName}
      </Text>
    </Group>
  );
}

/** Names coursectl below pages of a programme with a name of its own. */
export function PoweredBy() {
  const { t } = useTranslation();
  return (
    hasOwnName && (
      <Text size="xs" c="dimmed" ta="center" mt="auto">
        {t('app.poweredBy')}
      </Text>
    )
  );
}

import { Button, type ButtonProps, Menu } from '@mantine/core';
import { IconChevronDown, IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

interface DownloadMenuProps extends Pick<ButtonProps, 'variant' | 'size'> {
  label: string;
  /** The address of the file, or what saves it, by its format. */
  formats: Readonly<Record<'csv' | 'xlsx', string | (() => void)>>;
}

/** A button to download a table, which asks for its format. */
export function DownloadMenu({ label, formats, variant = 'default', size = 'sm' }: DownloadMenuProps) {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          className="wrapping"
          variant={variant}
          size={size}
          leftSection={<IconDownload size={16} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label={label}>
        {(['xlsx', 'csv'] as const).map((format) => {
          const source = formats[format];
          return typeof source === 'string' ? (
            <Menu.Item key={format} component="a" href={source} download>
              {t(`file.${format}`)}
            </Menu.Item>
          ) : (
            <Menu.Item key={format} onClick={source}>
              {t(`file.${format}`)}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}

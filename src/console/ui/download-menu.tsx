import { Button, type ButtonProps, Menu } from '@mantine/core';
import { IconChevronDown, IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

export type TableFormat = 'csv' | 'xlsx';

interface DownloadMenuProps extends Pick<ButtonProps, 'variant' | 'size'> {
  label: string;
  /** URL of the file, or a function that saves the file, by format. */
  formats: Readonly<Record<TableFormat, string | (() => void)>>;
  first?: TableFormat;
}

export function DownloadMenu({ label, formats, first = 'xlsx', variant = 'default', size = 'sm' }: DownloadMenuProps) {
  const { t } = useTranslation();
  const order = first === 'csv' ? (['csv', 'xlsx'] as const) : (['xlsx', 'csv'] as const);
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
        {order.map((format) => {
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

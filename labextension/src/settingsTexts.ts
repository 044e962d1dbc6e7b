// Translation of the settings' titles and descriptions.
//
// JupyterLab's server translates schemas from language packs alone, and its registry transforms only schemas that ask for it and are
// loaded late for that. So the texts are replaced in the schema that the registry shows, now and after it was fetched again.

import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { t } from './translation';

/** Have the settings editor show these plug-ins' pages in the user's language. */
export function translateSettings(registry: ISettingRegistry, pages: readonly string[]): void {
  const translate = (page: string) => translateTexts(registry.plugins[page]?.schema);
  pages.forEach(translate);
  registry.pluginChanged.connect((_, id) => pages.includes(id) && translate(id));
}

/** Translate each title and description in it, whose catalogue a test holds complete. A text that is translated already has no entry there. */
export function translateTexts(value: unknown): void {
  if (typeof value !== 'object' || value === null) {
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === 'string' && (name === 'title' || name === 'description')) {
      (value as Record<string, unknown>)[name] = t(inner);
    } else if (!name.startsWith('jupyter.lab.')) {
      translateTexts(inner);
    }
  }
}

/* `colour` of an element: by name, as CSS names colours, or '#rrggbb'. Pictures alone look at it. */
#include "model/compile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const sn_named_colour colours[] = {{"black", 0x000000},
                                          {"white", 0xffffff},
                                          {"grey", 0x808080},
                                          {"silver", 0xc0c0c0},
                                          {"red", 0xff0000},
                                          {"maroon", 0x800000},
                                          {"brown", 0xa52a2a},
                                          {"orange", 0xffa500},
                                          {"gold", 0xffd700},
                                          {"yellow", 0xffff00},
                                          {"olive", 0x808000},
                                          {"lime", 0x00ff00},
                                          {"green", 0x008000},
                                          {"teal", 0x008080},
                                          {"cyan", 0x00ffff},
                                          {"blue", 0x0000ff},
                                          {"navy", 0x000080},
                                          {"steelblue", 0x4682b4},
                                          {"indigo", 0x4b0082},
                                          {"purple", 0x800080},
                                          {"magenta", 0xff00ff},
                                          {"pink", 0xffc0cb},
                                          {"salmon", 0xfa8072},
                                          {"tan", 0xd2b48c},
                                          {NULL, -1}};

const sn_named_colour *sn_colours(void) { return colours; }

static const char *name_at(int i, const void *ctx) { return ((const sn_named_colour *)ctx)[i].name; }

/* Of '#rrggbb' or a name; -1: it is neither. */
static int number_of(const char *text)
{
    if (text[0] == '#' && strlen(text) == 7) {
        for (const char *c = text + 1; *c; c++)
            if (!isxdigit((unsigned char)*c)) return -1;
        return (int)strtol(text + 1, NULL, 16);
    }
    for (const sn_named_colour *c = colours; c->name; c++)
        if (!strcmp(c->name, text)) return c->rgb;
    return strcmp(text, "gray") == 0 ? number_of("grey") : -1;
}

sn_status sn_entry_colour(sn_compiler *c, sn_entry *e)
{
    const sn_item *k = e->item && e->item->type == SN_ITEM_MAP ? sn_item_get(e->item, "colour") : NULL;
    if (!k) return SN_OK;
    e->colour = k->type == SN_ITEM_SCALAR ? number_of(k->text) : -1;
    if (e->colour >= 0 || e->set_of >= 0) return SN_OK; /* of a set it is said once */
    if (k->type == SN_ITEM_SCALAR && !k->text[0])
        return sn_fail(c->err, SN_ERR_INPUT, &k->key_mark,
                       "'colour' has no value: '#' begins a comment, so write '#rrggbb' in quotes");
    const int n = (int)(sizeof colours / sizeof *colours) - 1;
    const char *near = k->type == SN_ITEM_SCALAR ? sn_nearest(k->text, n, name_at, colours) : NULL;
    return sn_fail(c->err, SN_ERR_INPUT, &k->mark, "'colour' is a name or '#rrggbb' in quotes%s%s%s",
                   near ? " (did you mean '" : " ('sinew help colour' lists the names)", near ? near : "",
                   near ? "'?)" : "");
}

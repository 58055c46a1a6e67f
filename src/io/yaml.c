/* Model files from YAML: the events of libfyaml's parser become a tree of sn_item, each with its place.

   The tree is built from events, iteratively, on a stack of at most SN_YAML_MAX_DEPTH open maps and lists;
   libfyaml's documents (which recurse, and expand aliases) are not used. Places are bytes: line and column
   follow from the offset in the source, in which CR LF and CR have become LF and a byte order mark is gone. A
   null has the place of its key, or of its dash in a list; a block text ('|') that of its first line.

   A model file is one document whose root is a map. Null is the text "". Not accepted, each with its own
   message: aliases, anchors, tags, directives and merge keys (a name under 'parameters' serves better, and
   none can grow without bound), keys that are lists, maps or empty, duplicate keys, NUL in a text, several
   documents, bytes that are not UTF-8, control characters, and more than SN_YAML_MAX_BYTES bytes or
   SN_YAML_MAX_DEPTH levels. The values are not counted: each takes a byte of the file at least.

   Guards in front of libfyaml 0.7.12. To tell keys from values its scanner looks ahead to the end of a
   bracket, at up to 640 bytes of memory for each indicator character: those of one value are counted first,
   and held below MAX_AHEAD. No bracket and no quoted text reaches past a line that is indented no deeper than
   the one it began in (libfyaml refuses that), unless the whole file is one. Its time grows with the square
   of the length of a directive (refused: none is needed), of a tag, of a run of blanks, and of a run of blank
   lines in a text, where also the stack grows: no more than MAX_RUN of each. In '...' it reads two escaped
   quotes side by side wrongly: the double-quoted form is asked for.

   Faults that leave the structure readable are reported together; the first syntax error ends the reading. */
#include "io/yaml.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libfyaml.h>

#include "io/list_unit.h"
#include "io/source.h"

enum { MAX_AHEAD = 1000000, MAX_RUN = 512 };

/* An open map or list. In a map, `key` waits for its value. */
typedef struct frame {
    sn_item *item, *last;
    const char *key;
    sn_mark key_mark;
    bool flow;
} frame;

/* What a file is, and how it begins: for messages. */
typedef struct file_kind {
    const char *name, *begin;
} file_kind;

typedef struct reader {
    sn_arena *arena;
    sn_err *err;
    file_kind kind;
    sn_status status; /* of the first fault found so far */
    sn_source source;
    size_t end;       /* where the last thing read ended */
    sn_item **sorted; /* scratch for the search of duplicates */
    int cap_sorted;
    struct fy_diag *diag;
    struct fy_parser *parser;
    frame stack[SN_YAML_MAX_DEPTH];
    int depth, n_document;
    bool complete;
    sn_item *root;
    sn_list_unit *unit; /* behind lists, which the parser does not see */
    int n_unit;
} reader;

/* Is this line at s "---" or "...", between documents? */
static bool divides(const char *s)
{
    return (!strncmp(s, "---", 3) || !strncmp(s, "...", 3)) && (!s[3] || strchr(" \t\n", s[3]));
}

/* Where values begin that nothing before reaches into: at lines indented no deeper than the last such one, or
   behind lines without brackets and quotes. */
typedef struct lines {
    bool inside;   /* the whole document may be one bracket: there are none */
    bool begun;    /* something has been found */
    bool opened;   /* a bracket or a quote stands behind the last one */
    size_t indent; /* of the last one */
} lines;

static bool begins_value(lines *l, const char *line)
{
    size_t indent = strspn(line, " ");
    char first = line[indent];
    if (!first || strchr("\n\t#", first)) return false;
    if (divides(line)) {
        const char *rest = line + 3 + strspn(line + 3, " \t");
        l->inside |= l->begun || (*rest && !strchr("\n#", *rest));
        return false;
    }
    if (!l->begun) l->inside |= strchr("[{!&?*-", first) != NULL;
    if (l->inside || (l->begun && l->opened && indent > l->indent)) return false;
    l->begun = true, l->opened = false, l->indent = indent;
    return true;
}

/* What libfyaml must not see. Indicator characters bound its tokens (two quotes make one). */
static sn_status guard(reader *r)
{
    const char *s = r->source.text;
    int halves = 0, breaks = 0, blanks = 0, tag = 0;
    lines l = {0};
    for (size_t i = 0; i < r->source.len; i++) {
        bool newline = s[i] == '\n', blank = s[i] == ' ' || s[i] == '\t', first = i == 0 || s[i - 1] == '\n';
        bool directive = s[i] == '%' && first;
        if (first && begins_value(&l, s + i)) halves = 0;
        if (s[i] == '"' || s[i] == '\'')
            halves++, l.opened = true;
        else if (strchr("[{,:&!*?", s[i]) || (s[i] == '-' && strchr(" \t\n", s[i + 1])))
            halves += 2, l.opened |= s[i] == '[' || s[i] == '{';
        breaks = newline ? breaks + 1 : blank ? breaks : 0;
        blanks = blank ? blanks + 1 : 0;
        tag = newline || blank ? 0 : tag || s[i] == '!' ? tag + 1 : 0;
        bool run = breaks > MAX_RUN || blanks > MAX_RUN || tag > MAX_RUN;
        if (halves <= 2 * MAX_AHEAD && !run && !directive) continue;
        sn_mark where = sn_source_mark(&r->source, i);
        if (halves > 2 * MAX_AHEAD)
            return sn_fail(
                r->err, SN_ERR_INPUT, &where,
                "more than %d values in one bracket or section; give each entry a line of its own, "
                "'name: ...', all indented alike",
                MAX_AHEAD);
        if (directive)
            return sn_fail(r->err, SN_ERR_INPUT, &where, "directives ('%%') are not used in model files");
        return sn_fail(r->err, SN_ERR_INPUT, &where, "more than %d %s in a row", MAX_RUN,
                       newline ? "blank lines"
                       : blank ? "blanks"
                               : "letters behind '!'");
    }
    return SN_OK;
}

/* A fault after which reading goes on. */
static void note(reader *r, sn_status status)
{
    if (r->status == SN_OK) r->status = status;
}

/* The next byte from pos that is neither blank nor comment: where a null in a list has its dash. */
static size_t skip_blank(const reader *r, size_t pos)
{
    const char *s = r->source.text;
    while (pos < r->source.len && (s[pos] == ' ' || s[pos] == '\t' || s[pos] == '\n' || s[pos] == '#'))
        pos += s[pos] == '#' ? strcspn(s + pos, "\n") : 1;
    return pos;
}

/* Where a token begins. Nulls have no token: in a map they take the place of their key. */
static sn_mark place_of(reader *r, struct fy_token *token)
{
    const struct fy_mark *start = token ? fy_token_start_mark(token) : NULL;
    const struct fy_mark *end = start ? fy_token_end_mark(token) : NULL;
    const frame *f = r->depth ? &r->stack[r->depth - 1] : NULL;
    size_t pos = start ? start->input_pos : skip_blank(r, r->end);
    if (!start && f && f->key) return f->key_mark;
    r->end = end ? end->input_pos : pos + !start;
    /* libfyaml's tokens leave out the opening quote and the sign of anchors and aliases */
    if (start && pos > 0 && pos <= r->source.len && strchr("\"'&*", r->source.text[pos - 1])) pos--;
    return sn_source_mark(&r->source, pos);
}

/* Is this a '...' with two escaped quotes side by side? */
static bool has_quote_run(const reader *r, struct fy_token *token)
{
    const struct fy_mark *start = fy_token_start_mark(token), *end = fy_token_end_mark(token);
    if (fy_token_scalar_style(token) != FYSS_SINGLE_QUOTED || !start || !end) return false;
    int run = 0;
    for (size_t i = start->input_pos; i < end->input_pos && i < r->source.len; i++) {
        run = r->source.text[i] == '\'' ? run + 1 : 0;
        if (run == 4) return true;
    }
    return false;
}

/* The text of a scalar in the arena; a missing token is a null. */
static sn_status text_of(reader *r, struct fy_token *token, const sn_mark *where, const char **out)
{
    size_t len = 0;
    if (token && has_quote_run(r, token))
        return sn_fail(r->err, SN_ERR_INPUT, where, "several quotes side by side in '...'; use \"...\" here");
    const char *text = token ? fy_token_get_text(token, &len) : "";
    if (!text) return sn_fail(r->err, SN_ERR_INPUT, where, "this text cannot be read; write it in one line");
    char *copy = sn_arena_strndup(r->arena, text, len);
    if (!copy) return SN_OUT_OF_MEM(r->err);
    if (memchr(copy, 0, len))
        return sn_fail(r->err, SN_ERR_INPUT, where, "a text may not hold a NUL character");
    *out = copy;
    return SN_OK;
}

/* Anchors and tags change nothing in the structure: report and go on. */
static void refuse_properties(reader *r, struct fy_token *anchor, struct fy_token *tag)
{
    size_t len = 0;
    if (anchor) {
        sn_mark where = place_of(r, anchor);
        const char *name = fy_token_get_text(anchor, &len);
        note(r, sn_fail(r->err, SN_ERR_INPUT, &where,
                        "anchors are not used in model files; give the value a name under 'parameters', "
                        "or quote a text that begins with '&': \"&%.*s\"",
                        name ? (int)len : 0, name ? name : ""));
    }
    if (tag) {
        sn_mark where = place_of(r, tag);
        note(r, sn_fail(r->err, SN_ERR_INPUT, &where,
                        "tags are not used in model files; put quotes around a text that begins with '!'"));
    }
}

/* A new item under the innermost open map or list, or the root. */
static sn_status add_item(reader *r, sn_item_type type, const char *text, sn_mark where, sn_item **out)
{
    frame *f = r->depth ? &r->stack[r->depth - 1] : NULL;
    sn_item *item = sn_arena_alloc(r->arena, 1, sizeof *item);
    if (!item) return SN_OUT_OF_MEM(r->err);
    *item = (sn_item){.type = type, .text = text, .mark = where, .key_mark = where};
    *out = item;
    if (!f) {
        r->root = item;
        return SN_OK;
    }
    if (f->key) {
        item->key = f->key;
        item->key_mark = f->key_mark;
        f->key = NULL;
    }
    *(f->last ? &f->last->next : &f->item->child) = item;
    f->last = item;
    f->item->n++;
    return SN_OK;
}

static sn_status take_key(reader *r, const char *key, const sn_mark *where, bool null)
{
    frame *f = &r->stack[r->depth - 1];
    if (null || !key[0]) return sn_fail(r->err, SN_ERR_INPUT, where, "a key is missing here, before the ':'");
    if (strcmp(key, "<<") == 0)
        note(r, sn_fail(r->err, SN_ERR_INPUT, where, "merge keys ('<<') are not used in model files"));
    f->key = key;
    f->key_mark = *where;
    /* libfyaml puts the map of a lone pair in a list, [a: 1], at its ':' */
    if (!f->last && f->item->mark.line == where->line && f->item->mark.col > where->col) {
        f->item->mark = *where;
        if (!f->item->key) f->item->key_mark = *where;
    }
    return SN_OK;
}

static bool wants_key(const reader *r)
{
    const frame *f = r->depth ? &r->stack[r->depth - 1] : NULL;
    return f && f->item->type == SN_ITEM_MAP && !f->key;
}

/* An empty plain scalar: versions of libfyaml from 0.8 on have a token for a null as well. */
static bool is_nothing(struct fy_token *token)
{
    const struct fy_mark *start = token ? fy_token_start_mark(token) : NULL,
                         *end = token ? fy_token_end_mark(token) : NULL;
    return start && end && start->input_pos == end->input_pos && fy_token_scalar_style(token) == FYSS_PLAIN;
}

/* A scalar, or an alias taken as one: it is a key or a value. */
static sn_status on_scalar(reader *r, struct fy_token *token, bool alias)
{
    if (is_nothing(token)) token = NULL;
    const char *text = NULL;
    sn_item *item;
    sn_mark where = place_of(r, token);
    SN_TRY(text_of(r, token, &where, &text));
    if (alias)
        note(r, sn_fail(r->err, SN_ERR_INPUT, &where,
                        "'*%s' is an alias in YAML, which model files do not use; "
                        "if a text or an expression is meant, quote it: \"*%s\"",
                        text, text));
    if (wants_key(r)) return take_key(r, text, &where, !token);
    if (r->depth == 0 && !token) return SN_OK;
    return add_item(r, SN_ITEM_SCALAR, text, where, &item);
}

static sn_status on_open(reader *r, sn_item_type type, struct fy_token *token)
{
    sn_item *item = NULL;
    sn_mark where = place_of(r, token);
    if (wants_key(r))
        return sn_fail(r->err, SN_ERR_INPUT, &where, "a key must be a name, not a list or a map");
    if (r->depth == SN_YAML_MAX_DEPTH)
        return sn_fail(r->err, SN_ERR_INPUT, &where, "lists and maps are nested deeper than %d levels",
                       SN_YAML_MAX_DEPTH);
    SN_TRY(add_item(r, type, "", where, &item));
    char first = r->source.text[r->source.line[where.line - 1] + (size_t)where.col - 1];
    r->stack[r->depth++] = (frame){.item = item, .flow = first == '[' || first == '{'};
    return SN_OK;
}

/* By key, then by place. */
static int compare_keys(const void *a, const void *b)
{
    const sn_item *x = *(sn_item *const *)a, *y = *(sn_item *const *)b;
    int order = strcmp(x->key, y->key);
    if (order == 0) order = (x->key_mark.line > y->key_mark.line) - (x->key_mark.line < y->key_mark.line);
    if (order == 0) order = (x->key_mark.col > y->key_mark.col) - (x->key_mark.col < y->key_mark.col);
    return order;
}

static sn_status check_duplicates(reader *r, const sn_item *map)
{
    int n = 0;
    if (map->n < 2) return SN_OK;
    if (sn_grow(&r->sorted, &r->cap_sorted, map->n, sizeof(sn_item *)) != SN_OK) return SN_OUT_OF_MEM(r->err);
    for (sn_item *c = map->child; c; c = c->next) r->sorted[n++] = c;
    qsort(r->sorted, (size_t)n, sizeof(sn_item *), compare_keys);
    for (int first = 0, i = 1; i < n; i++) {
        const sn_item *a = r->sorted[first], *b = r->sorted[i];
        if (strcmp(a->key, b->key) == 0)
            note(r, sn_fail(r->err, SN_ERR_INPUT, &b->key_mark, "duplicate key '%s' (first given at line %d)",
                            b->key, a->key_mark.line));
        else
            first = i;
    }
    return SN_OK;
}

static sn_status on_close(reader *r, struct fy_token *token)
{
    if (r->depth == 0) return sn_fail(r->err, SN_ERR_BUG, NULL, "the YAML parser closed what was not open");
    sn_item *item = r->stack[--r->depth].item;
    const struct fy_mark *at = token ? fy_token_start_mark(token) : NULL;
    const char *unit = at && r->n_unit ? sn_list_unit_at(r->unit, r->n_unit, at->input_pos) : NULL;
    if (token) place_of(r, token);
    if (unit && sn_list_unit_apply(item, unit, r->arena)) return SN_OUT_OF_MEM(r->err);
    return item->type == SN_ITEM_MAP ? check_duplicates(r, item) : SN_OK;
}

static sn_status on_document(reader *r, struct fy_token *token)
{
    if (r->n_document++ == 0) return SN_OK;
    sn_mark where = place_of(r, token);
    return sn_fail(r->err, SN_ERR_INPUT, &where,
                   "a second YAML document begins here; a model file holds one");
}

static sn_status on_event(reader *r, struct fy_event *e)
{
    switch (e->type) {
    case FYET_DOCUMENT_START:
        return on_document(r, e->document_start.document_start);
    case FYET_SCALAR:
        refuse_properties(r, e->scalar.anchor, e->scalar.tag);
        return on_scalar(r, e->scalar.value, false);
    case FYET_ALIAS:
        return on_scalar(r, e->alias.anchor, true);
    case FYET_SEQUENCE_START:
        refuse_properties(r, e->sequence_start.anchor, e->sequence_start.tag);
        return on_open(r, SN_ITEM_LIST, e->sequence_start.sequence_start);
    case FYET_MAPPING_START:
        refuse_properties(r, e->mapping_start.anchor, e->mapping_start.tag);
        return on_open(r, SN_ITEM_MAP, e->mapping_start.mapping_start);
    case FYET_SEQUENCE_END:
        return on_close(r, e->sequence_end.sequence_end);
    case FYET_MAPPING_END:
        return on_close(r, e->mapping_end.mapping_end);
    case FYET_STREAM_END:
        r->complete = true;
        return SN_OK;
    default:
        return SN_OK;
    }
}

/* What libfyaml has to say, as reports with our places; inside brackets also where they were opened. */
static sn_status syntax_errors(reader *r)
{
    void *at = NULL;
    const struct fy_diag_error *e;
    const frame *f = r->depth ? &r->stack[r->depth - 1] : NULL;
    while ((e = fy_diag_errors_iterate(r->diag, &at))) {
        if (e->type != FYET_ERROR) continue;
        const struct fy_mark *m = e->fyt ? fy_token_start_mark(e->fyt) : NULL;
        sn_mark where = m ? sn_source_mark(&r->source, m->input_pos)
                          : (sn_mark){r->source.file, r->source.text, e->line, e->column};
        char more[96] = "";
        if (f && f->flow && f->item->mark.line < where.line)
            snprintf(more, sizeof more, " (inside the '%s' of line %d)",
                     f->item->type == SN_ITEM_MAP ? "{" : "[", f->item->mark.line);
        else if (strstr(e->msg, "multiline plain key"))
            snprintf(more, sizeof more, "; is the indentation of line %d right?", where.line + 1);
        else if (strstr(e->msg, "nested block mapping on the same line"))
            snprintf(more, sizeof more, "; quote a text that holds ': '");
        note(r, sn_fail(r->err, SN_ERR_INPUT, &where, "%s%s", e->msg, more));
    }
    if (r->status != SN_OK) return r->status;
    sn_mark where = sn_source_mark(&r->source, r->end);
    return sn_fail(r->err, SN_ERR_INPUT, &where, "the text after this place cannot be read as YAML");
}

static void drop_output(struct fy_diag *diag, void *user, const char *text, size_t len)
{
    (void)diag, (void)user, (void)text, (void)len;
}

static sn_status parse(reader *r)
{
    struct fy_diag_cfg quiet;
    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL;
    quiet.output_fn = drop_output;
    quiet.colorize = false;
    r->diag = fy_diag_create(&quiet);
    if (!r->diag) return SN_OUT_OF_MEM(r->err);
    fy_diag_set_collect_errors(r->diag, true);
    char *without_units;
    if (sn_list_units(r->source.text, r->source.len, r->arena, &without_units, &r->unit, &r->n_unit))
        return SN_OUT_OF_MEM(r->err);
    struct fy_parse_cfg cfg = {.flags = FYPCF_JSON_NONE | FYPCF_DEFAULT_VERSION_1_2, .diag = r->diag};
    r->parser = fy_parser_create(&cfg);
    if (!r->parser ||
        fy_parser_set_string(r->parser, without_units ? without_units : r->source.text, r->source.len))
        return SN_OUT_OF_MEM(r->err);
    while (!r->complete) {
        struct fy_event *e = fy_parser_parse(r->parser);
        if (!e) return syntax_errors(r);
        sn_status status = on_event(r, e);
        fy_parser_event_free(r->parser, e);
        SN_TRY(status);
    }
    return r->status;
}

static sn_status read_whole(reader *r)
{
    if (skip_blank(r, 0) < r->source.len) {
        SN_TRY(guard(r));
        SN_TRY(parse(r));
    }
    sn_mark where = {r->source.file, r->source.text, 0, 0};
    if (!r->root)
        return sn_fail(r->err, SN_ERR_INPUT, &where, "the file is empty; %s begins with '%s'", r->kind.name,
                       r->kind.begin);
    if (r->root->type != SN_ITEM_MAP)
        return sn_fail(r->err, SN_ERR_INPUT, &r->root->mark,
                       "%s is a map of sections, beginning with '%s'; this is a %s", r->kind.name,
                       r->kind.begin,
                       r->root->type == SN_ITEM_LIST ? "list"
                       : strchr(r->root->text, ':')  ? "single text (is a space missing after a ':'?)"
                                                     : "single text");
    return SN_OK;
}

static sn_status read_text(file_kind kind, const char *name, const char *text, size_t len, sn_arena *arena,
                           sn_item **root, sn_err *err)
{
    reader *r;
    *root = NULL;
    if (len > SN_YAML_MAX_BYTES) return sn_file_too_large(name, (double)len, SN_YAML_MAX_BYTES, err);
    if (!SN_NEW(r, 1)) return SN_OUT_OF_MEM(err);
    r->arena = arena;
    r->err = err;
    r->kind = kind;
    sn_status status = sn_source_open(&r->source, name, text, len, arena, err);
    if (status == SN_OK) status = read_whole(r);
    if (status == SN_OK) *root = r->root;
    if (r->parser) fy_parser_destroy(r->parser);
    if (r->diag) fy_diag_destroy(r->diag);
    sn_source_close(&r->source);
    sn_free(r->sorted);
    sn_free(r);
    return status;
}

sn_status sn_yaml_read_kind(const char *kind, const char *begin, const char *path, sn_arena *arena,
                            sn_item **root, sn_err *err)
{
    char *bytes;
    size_t len;
    *root = NULL;
    SN_TRY(sn_file_read(path, SN_YAML_MAX_BYTES, &bytes, &len, err));
    sn_status status = read_text((file_kind){kind, begin}, path, bytes, len, arena, root, err);
    sn_free(bytes);
    return status;
}

static const file_kind model = {"a model file", "sinew: 1"};

sn_status sn_yaml_read_text(const char *name, const char *text, size_t len, sn_arena *arena, sn_item **root,
                            sn_err *err)
{
    return read_text(model, name, text, len, arena, root, err);
}

sn_status sn_yaml_read_file(const char *path, sn_arena *arena, sn_item **root, sn_err *err)
{
    return sn_yaml_read_kind(model.name, model.begin, path, arena, root, err);
}

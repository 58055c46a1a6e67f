/* Requests of a browser, see http.h. RFC 9112; whatever it leaves to the taste of servers is refused. */
#include "view/http.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct span {
    const char *at;
    size_t n;
} span;

static int is(span s, const char *word) { return s.n == strlen(word) && memcmp(s.at, word, s.n) == 0; }

static int is_word(span s, const char *word)
{
    return s.n == strlen(word) && strncasecmp(s.at, word, s.n) == 0;
}

/* Takes what comes before the separator; 0 where there is none. */
static int cut(span *from, const char *separator, span *out)
{
    size_t k = strlen(separator);
    for (size_t i = 0; i + k <= from->n; i++) {
        if (memcmp(from->at + i, separator, k) != 0) continue;
        *out = (span){from->at, i};
        *from = (span){from->at + i + k, from->n - i - k};
        return 1;
    }
    return 0;
}

static span trim(span s)
{
    while (s.n && (s.at[0] == ' ' || s.at[0] == '\t')) s.at++, s.n--;
    while (s.n && (s.at[s.n - 1] == ' ' || s.at[s.n - 1] == '\t')) s.n--;
    return s;
}

static int own_host(span host, int port)
{
    static const char *const name[] = {"127.0.0.1", "localhost"};
    for (int i = 0; i < 2; i++) {
        char full[40];
        snprintf(full, sizeof full, "%s:%d", name[i], port);
        if (is_word(host, full) || (port == 80 && is_word(host, name[i]))) return 1;
    }
    return 0;
}

/* Letters of a target: no blanks, no controls, nothing beyond ASCII. */
static int plain(span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.at[i] <= 32 || s.at[i] >= 127) return 0;
    return 1;
}

static int read_line(span line, sn_http_request *out)
{
    span method, target, path;
    if (!cut(&line, " ", &method) || !cut(&line, " ", &target)) return 400;
    for (size_t i = 0; i < method.n; i++)
        if (method.at[i] < 'A' || method.at[i] > 'Z') return 400;
    if (!is(line, "HTTP/1.1") && !is(line, "HTTP/1.0"))
        return line.n > 5 && memcmp(line.at, "HTTP/", 5) == 0 ? 505 : 400;
    if (!is(method, "GET") && !is(method, "HEAD")) return method.n ? 405 : 400;
    if (target.n >= SN_HTTP_TARGET) return 414;
    if (!target.n || target.at[0] != '/' || !plain(target)) return 400;
    if (!cut(&target, "?", &path)) path = target, target.n = 0;
    *out = (sn_http_request){.head = is(method, "HEAD")};
    memcpy(out->path, path.at, path.n);
    memcpy(out->query, target.at, target.n);
    return 200;
}

int sn_http_read(const char *bytes, size_t n, int port, sn_http_request *out)
{
    span rest = {bytes, n}, all, line, name;
    if (n && (bytes[0] < 'A' || bytes[0] > 'Z')) return 400;
    if (!cut(&rest, "\r\n\r\n", &all)) return n >= SN_HTTP_ROOM ? 431 : 0;
    rest = (span){bytes, all.n + 2}; /* every line with its end */
    for (size_t i = 0; i < all.n; i++)
        if ((unsigned char)bytes[i] < 32 && bytes[i] != '\r' && bytes[i] != '\n' && bytes[i] != '\t')
            return 400;
    cut(&rest, "\r\n", &line);
    int status = read_line(line, out), hosts = 0, own = 0;
    while (status == 200 && cut(&rest, "\r\n", &line)) {
        if (memchr(line.at, '\n', line.n) || memchr(line.at, '\r', line.n)) return 400;
        if (!cut(&line, ":", &name) || !name.n || !plain(name)) return 400;
        line = trim(line);
        if (is_word(name, "host")) hosts++, own = own_host(line, port);
        if (is_word(name, "transfer-encoding") || (is_word(name, "content-length") && !is(line, "0")))
            return 400;
    }
    if (status != 200) return status;
    return hosts != 1 ? 400 : own ? 200 : 403;
}

int sn_http_number(const sn_http_request *r, const char *key, int64_t low, int64_t high, int64_t *out)
{
    size_t k = strlen(key);
    for (const char *c = r->query; *c;) {
        size_t n = strcspn(c, "&");
        if (n > k + 1 && n < k + 20 && strncmp(c, key, k) == 0 && c[k] == '=') {
            int64_t x = 0;
            int minus = c[k + 1] == '-';
            if (n == k + 1 + (size_t)minus) return 0;
            for (size_t i = k + 1 + (size_t)minus; i < n; i++) {
                if (c[i] < '0' || c[i] > '9') return 0;
                x = 10 * x + (c[i] - '0'); /* at most 18 digits: no overflow */
            }
            *out = minus ? -x : x;
            return *out >= low && *out <= high;
        }
        c += n + (c[n] == '&');
    }
    return 0;
}

const char *sn_http_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } list[] = {{200, "OK"},
                {204, "No Content"},
                {400, "Bad Request"},
                {403, "Forbidden"},
                {404, "Not Found"},
                {405, "Method Not Allowed"},
                {408, "Request Timeout"},
                {410, "Gone"},
                {414, "URI Too Long"},
                {431, "Request Header Fields Too Large"},
                {500, "Internal Server Error"},
                {503, "Service Unavailable"},
                {505, "HTTP Version Not Supported"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].status == status) return list[i].reason;
    return "Error";
}

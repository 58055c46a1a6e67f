/* Numbers of a result in a page. */
#include "view/block.h"

#include "view/json.h"

#include <stdint.h>
#include <string.h>

sn_status sn_view_number(sn_html *h, double x, int single, sn_err *err)
{
    unsigned char bytes[8];
    uint64_t bits = 0;
    int n = single ? 4 : 8;
    if (single) {
        float f = (float)x;
        uint32_t b;
        memcpy(&b, &f, 4);
        bits = b;
    } else
        memcpy(&bits, &x, 8);
    for (int k = 0; k < n; k++) bytes[k] = (unsigned char)(bits >> 8 * k);
    return sn_html_base64(h, bytes, (size_t)n, err);
}

sn_status sn_view_open(sn_html *h, const sn_view_source *s, const char *id, sn_err *err)
{
    return sn_json_say(h, err, "<script id=\"%s%s\" type=\"application/octet-stream\">", s->prefix, id);
}

sn_status sn_view_close(sn_html *h, sn_err *err)
{
    static const char close[] = "</script>\n";
    SN_TRY(sn_html_base64(h, NULL, 0, err));
    return sn_html_put(h, close, sizeof close - 1, err);
}

int sn_view_sights(int frames, int stride) { return frames > 0 ? (frames - 1 + stride - 1) / stride + 1 : 0; }

sn_status sn_view_block(sn_html *h, const sn_view_source *s, const char *id, int column, int single,
                        int stride, sn_err *err)
{
    int width = column < 0 ? 1 : sn_result_reader_column(s->in, column)->width,
        frames = sn_result_reader_frames(s->in), count = sn_view_sights(frames, stride);
    int rows = stride > 1 || width > SN_VIEW_CHUNK ? 1 : SN_VIEW_CHUNK / (width ? width : 1);
    SN_TRY(sn_view_open(h, s, id, err));
    for (int i = 0; i < count && width > 0; i += rows) {
        int n = count - i < rows ? count - i : rows,
            first = stride > 1 && (int64_t)i * stride > frames - 1 ? frames - 1 : i * stride;
        SN_TRY(sn_result_reader_get(s->in, column, first, n, s->chunk, err));
        for (size_t k = 0; k < (size_t)n * (size_t)width; k++)
            SN_TRY(sn_view_number(h, s->chunk[k], single, err));
    }
    return sn_view_close(h, err);
}

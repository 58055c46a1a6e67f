SN_KIND(genalpha)

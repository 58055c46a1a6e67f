SN_KIND(klu)
SN_KIND(dense)
SN_KIND(mumps)

SN_KIND(klu)
SN_KIND(multifrontal)
SN_KIND(dense)
SN_KIND(mumps)

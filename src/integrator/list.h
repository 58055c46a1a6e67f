SN_KIND(genalpha)
SN_KIND(energy_momentum)

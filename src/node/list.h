SN_KIND(point2d)
SN_KIND(frame2d)
SN_KIND(state)

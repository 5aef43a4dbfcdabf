import PureWebP

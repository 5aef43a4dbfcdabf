import CZlib
import PureWebP

<?php
Shape\recurse(2);
